"""Xuanka's figures held against published measurements."""
