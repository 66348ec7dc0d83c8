"""Dev questions of an index in; thresholds out: calibration of the gate and of the decline."""
