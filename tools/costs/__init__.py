"""Costs side by side: ways of paying for a machine, renting against an API, a training run, and products beside ECS."""
