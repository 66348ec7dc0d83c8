"""Conversations: a turn and the turns before it come in, an answer goes out, as from the query engine below."""
