"""Small definitions of published vision networks, made from their architecture alone: shapes, no weights."""
