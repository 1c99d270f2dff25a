"""Memory of speech recognition."""
