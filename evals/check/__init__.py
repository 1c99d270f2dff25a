"""The check, measured: good answers must pass it, spoilt ones must not."""
