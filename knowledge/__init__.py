"""What is known: fact tables, guides, the vector store and search. Imports nothing of ours."""
