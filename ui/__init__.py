"""Faces: they parse, call and render. All of them show the same Answer."""
