"""Reading a question by rules: normalise, find, decide what is asked."""
