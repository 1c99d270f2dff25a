"""The language of a draft: prose in the language of the question; names, code, quotes and terms may be of another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from assistant.read.lexicon import read_table

from .draft_text import DraftText
from .problem import Problem
from .rejecting import read_words
from .said import MARKS, Said, repeats, sentences_of
from .support import Support

HANZI = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
OTHER_SCRIPT = re.compile(r"[\u0370-\u03ff\u0400-\u04ff\u0590-\u05ff\u0600-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\uac00-\ud7af]")
"""Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai, kana, hangul."""
WORD = re.compile(r"(?<![A-Za-z0-9_.\-/À-ɏ])[A-Za-zÀ-ɏẠ-ỹ]{1,24}(?![A-Za-z0-9_\-/À-ɏ])")
ASIDE = re.compile(r"`[^`\n]{1,400}`|“[^”\n]{1,400}”|\"[^\"\n]{1,400}\"|「[^」\n]{1,400}」|『[^』\n]{1,400}』|https?://\S{1,300}|^\s*>.*$", re.M)
"""Code, quotes and addresses."""
FOREIGN_LETTERS = 4
ENGLISH_WORDS, ENGLISH_FUNCTION = 7, 3
"""Words, and among them function words, from which a stretch without Chinese is an English sentence."""
CHINESE = 7
"""Characters from which a stretch is Chinese prose; fewer are a term ("包年包月")."""
TRADITIONAL = 4
"""Different traditional characters from which a text is written in them."""
WHOLE_FUNCTION, WHOLE_CHINESE = 2, 3
"""Function words of a draft without any Chinese, and characters of one without an English word, from which the whole is of that language."""
SAID = {"zh": "Chinese (simplified)", "en": "English"}


def bad_language(draft: DraftText, support: Support) -> Iterator[Problem]:
    """The first sentence in another language than that of the question, and prose in traditional characters for simplified ones."""
    wished = support.language
    prose = [said for said in sentences_of(draft) if not repeats(said, support.reference)]
    for said in prose:
        text = MARKS.sub(" ", ASIDE.sub(" ", said.text))
        if _is_foreign(text, wished):
            yield _problem(said, f"The answer must be in {SAID[wished]}, the language of the question: write this sentence in it; names, code and quotes may stay.")
            return
    if prose and _is_whole_foreign(" ".join(MARKS.sub(" ", ASIDE.sub(" ", said.text)) for said in prose), wished):
        yield _problem(prose[0], f"The answer must be in {SAID[wished]}, the language of the question: write it in it; names, code and quotes may stay.")
        return
    if wished == "zh" and not _traditional("" + support.question) and (odd := next((said for said in prose if _traditional(said.text)), None)):
        together = set().union(*(_traditional(said.text) for said in prose))
        if len(together) >= TRADITIONAL:
            yield _problem(odd, "The answer must be in simplified Chinese, as the question is: write it in simplified characters.")


def _is_foreign(text: str, wished: Literal["zh", "en"]) -> bool:
    if len(OTHER_SCRIPT.findall(text)) >= FOREIGN_LETTERS:
        return True
    words = [word.lower() for word in WORD.findall(text)]
    hanzi = len(HANZI.findall(text))
    english, other = _function_words(words)
    if len(words) >= ENGLISH_FUNCTION and other >= ENGLISH_FUNCTION and other > english:
        return True
    if wished == "zh":
        return len(words) >= ENGLISH_WORDS and english >= ENGLISH_FUNCTION and hanzi * 2 < len(words)
    return hanzi >= CHINESE and hanzi > 2 * len(words)


def _is_whole_foreign(text: str, wished: Literal["zh", "en"]) -> bool:
    """Whether a short draft has nothing of the language that it should be in."""
    words, hanzi = WORD.findall(text), len(HANZI.findall(text))
    if wished == "zh":
        return not hanzi and _function_words([word.lower() for word in words])[0] >= WHOLE_FUNCTION
    return hanzi >= WHOLE_CHINESE and not any(word[1:].islower() for word in words)


def _function_words(words: list[str]) -> tuple[int, int]:
    """How many are function words of English, and of the other language that has most of them."""
    english, others = _tables()
    plain = sum(word in english for word in words)
    return plain, max(sum(word in table for word in words) for table in others)


@cache
def _tables() -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
    table = read_words("language")
    return frozenset(table["english"]), tuple(frozenset(words) for words in table["others"].values())


def _traditional(text: str) -> set[str]:
    """The traditional characters of a text, of those that this field writes."""
    return set(text) & _traditional_characters()


@cache
def _traditional_characters() -> frozenset[str]:
    return frozenset(pair[0] for pair in read_table("script")["pairs"])


def _problem(said: Said, reason: str) -> Problem:
    return Problem("language", said.text.strip()[:80], said.start, reason)
