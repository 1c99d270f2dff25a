"""Traces the memory of a training step or a forward pass without a GPU. Importing this package imports no torch."""
