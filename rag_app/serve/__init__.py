"""An open index in; a page to try it, a JSON interface and tools for agents out. Needs the extras `serve` and `mcp`."""
