"""One URL in; the bytes of its page out, fetched politely and only from addresses that may be visited."""
