"""The files of tests/read/files in; out come counts of what of them is read as their manifests want it."""
