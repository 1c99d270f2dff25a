"""Reads documents of users: text, Markdown, HTML, PDF and DOCX as plain text with Markdown's headings, lists and tables."""
