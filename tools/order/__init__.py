"""From an answer to an order: the purchase page, a command, a Terraform snippet, the quota, and what to do instead."""
