"""Speed of serving a language model: time per token, first token, machines for a wished speed, price per token."""
