"""Memory of training a language model: full, frozen, adapters; sharded or not; with its commands and cautions."""
