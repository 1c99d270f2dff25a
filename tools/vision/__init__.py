"""Memory of vision networks: training and inference, by coefficients without torch or by the tracer."""
