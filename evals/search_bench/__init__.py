"""Messages and recordings in; figures out: the benchmark of the web search."""
