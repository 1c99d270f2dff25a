"""Memory of image and video diffusion: inference and training."""
