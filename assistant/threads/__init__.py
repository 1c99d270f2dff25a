"""Conversations: what a thread keeps from turn to turn, and where it is kept."""
