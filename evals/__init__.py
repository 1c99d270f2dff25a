"""Measurements of Xuanka itself: benchmarks now, evaluation sets and graders with them."""
