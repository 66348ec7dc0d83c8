"""Conversations: a turn and the turns before it in, an answer out, as from the query engine below."""
