"""An index in, one archive out, and back: exported while in use, trusted in nothing when installed."""
