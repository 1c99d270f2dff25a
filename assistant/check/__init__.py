"""The check of a draft: nothing that evidence, catalog or question does not hold reaches the user."""
