"""One turn with a chat model: what it is told, what it may call, what of its draft is shown, and what is done when it fails."""
