"""The frame of all jobs but serving a language model: one demand in, one sizing out."""
