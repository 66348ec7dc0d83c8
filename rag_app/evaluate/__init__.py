"""Cases, scoring and runs: what a figure about this system rests on."""
