"""Wing: look-ups on the web. A question in; passages of web pages out, checked for topic and region."""
