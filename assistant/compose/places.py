"""That a place which is named as a region is none, before anything that is told of another one."""

from __future__ import annotations

from assistant.evidence import Evidence
from assistant.filters import unknown_place
from assistant.read.reading import Reading

from . import words
from .draft import Voice


def unknown_region(reading: Reading, evidence: Evidence) -> str:
    """Names the place, and the region that the figures below are of; empty where every region is known."""
    place, voice = unknown_place(reading), Voice("price", reading.language)
    if not place:
        return ""
    asked = next((str(f.args["region"]) for f in evidence.findings if f.args.get("region")), "")
    return voice("unknown_region", place=place, region=words.region(asked, voice.language)) if asked else voice("no_region", place=place)
