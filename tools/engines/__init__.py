"""Serving engines: what each takes besides weights and cache, how it divides a card, and the command that starts it."""
