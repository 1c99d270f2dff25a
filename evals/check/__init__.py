"""The check, measured: good answers must pass, spoilt ones must not."""
