"""A refresh: asks the cloud's own interface what it sells and for how much, and writes a new dated snapshot."""
