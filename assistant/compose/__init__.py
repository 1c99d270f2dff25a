"""From a reading and the turn's evidence to an answer: one short composer per kind, phrases of both languages in files."""
