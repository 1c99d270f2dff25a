"""The arguments of a chat model's calls, held against the question: what contradicts it is told back once, then put right."""
