"""Deterministic sums and look-ups over the fact tables: memory, catalog, prices, advice, claims."""
