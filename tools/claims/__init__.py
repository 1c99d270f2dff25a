"""Finds statements about instances, cards, disks and billing in any text and judges them by the fact tables."""
