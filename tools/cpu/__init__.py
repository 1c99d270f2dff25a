"""Inference without a GPU, or with the experts of a model in main memory."""
