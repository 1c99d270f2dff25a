"""Names of models in a draft: those of question, evidence, thread and model table; one digit off the asked one is a slip."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from knowledge import facts
from knowledge.other_facts import cpu_families
from tools.model_names import fold, names_as_written

from .held import stands
from .name_shapes import Name
from .problem import Problem
from .said import Said
from .support import Support

MODEL = re.compile(
    r"(?<![A-Za-z0-9_./-])(?:[A-Za-z][\w.-]{1,40}/)?"
    r"(?:(?:qwen|llama|deepseek|gemma|glm|mistral|mixtral|baichuan|internlm|hunyuan|ernie|kimi|chatglm|minimax|yi|phi|qwq|falcon|bloom|opt|gpt|codellama|wizardlm|vicuna|千问|通义千问)[ -]?)"
    r"[A-Za-z0-9.]*(?:[ -]?(?:[a-z]{1,9}[ -])?\d{1,3}(?:\.\d{1,2})?(?:x\d{1,2})?b(?:-a\d{1,3}(?:\.\d)?b)?)(?![a-z0-9])",
    re.I,
)
"""A model of a known brand with its size: Qwen2.5-72B, Llama 3.1 8B, Qwen3-235B-A22B."""
LETTERS = re.compile(r"(?:ebm|scc|s|v|c|hf)?gn[a-z]{1,3}|(?:ebm|scc)?g\d{1,2}[a-z]{0,2}|[a-z]?\d[a-z]{1,2}|[a-z]{1,3}\d")
"""What is left of a family when a letter or its number is dropped: gni, n7i, 8i."""
BRAND = re.compile("qwen|llama|deepseek|gemma|glm|mistral|mixtral|baichuan|internlm|hunyuan|ernie|kimi|minimax|yi|phi|qwq|falcon|bloom|opt|gpt|wizardlm|vicuna|千问")
WORD = re.compile(r"(?<![A-Za-z0-9_.-])[A-Za-z0-9]+(?:[._+-][A-Za-z0-9]+)*(?![A-Za-z0-9_-])")
ORDINARY = re.compile(r"(?:w?int|fp|bf|nf|tf|mxfp|nvfp|zero|tp|pp|dp|ep|pl|sm|cuda|gpt|awq|gptq|utf|ipv|mp|raid|nfs|http|ddr|hbm|gddr|pcie)-?\d.*|[wqvkpclrh]-?\d[\d._]*|q\d_.*|w\d+a\d+|\d+(?:\.\d+)?-[a-z]{3,}", re.I)
"""Words with digits of which there are many alike: precisions, cuts, versions, and figures joined to a word: 8-bit, 24-hour."""
GPU_STEMS = ("gn", "ebmgn", "sccgn", "sgn", "vgn", "cgn", "hfgn")
NEAR = 4
"""Characters that a word needs to be one off another one."""


def bad_models(names: list[Name], text: str, said: Said, support: Support) -> Iterator[Problem]:
    """Models that nothing holds, and words that are one character off a name of evidence or catalog."""
    taken = [(name.start, name.end) for name in names]
    for match in MODEL.finditer(text) if BRAND.search(said.plain) else ():
        taken.append(match.span())
        why = _why_not(match.group(), support)
        if why:
            yield _problem(match, said, why)
    for match in WORD.finditer(text):
        word = match.group().lower()
        if word.isalpha() and not word.startswith(GPU_STEMS) or word.isdigit():
            continue
        if any(start < match.end() and match.start() < end for start, end in taken) or not (_is_mixed(word) or LETTERS.fullmatch(word)):
            continue
        near = None if stands(word, support.lower) else _nearest(word, support)
        if near:
            yield _problem(match, said, f"is one character off “{near}”: write that name, or leave it out.")


def _why_not(written: str, support: Support) -> str:
    """What is wrong with the name of a model, in words; empty if nothing is."""
    name = written.lower().rpartition("/")[2]
    if stands(name, support.lower) or any(stands(form, support.lower) for form in _forms(name)):
        return ""
    asked = _one_digit_off(name, support)
    if asked:
        return f"is not the model of the tool results (“{asked}”): name that one, or call the tool for the other."
    if fold(name) in names_as_written() or any(form in names_as_written() for form in _forms(name)):
        return ""
    return "stands in no tool result and not in the model table: name the model that was asked about."


def _forms(name: str) -> Iterator[str]:
    """The same name with dashes for spaces, spaces for dashes, and neither."""
    for sign in ("-", " ", ""):
        yield re.sub(r"[ -]+", sign, name)
    yield re.sub(r"(?<=[a-z])[ -]?(?=\d)", "", re.sub(r" +", "-", name), count=1)
    yield re.sub(r"^([a-z]+)[ -]?(?=\d)", r"\1-", name)
    yield re.sub(r"^([a-z]+)[ -]?(?=\d)", r"\1 ", name)


def _one_digit_off(name: str, support: Support) -> str | None:
    """The model of the evidence that differs from the name in one digit, or in two that changed places."""
    from rapidfuzz.distance import OSA

    bare = re.sub(r"[ -]", "", name)
    for held in _models_held(support):
        other = re.sub(r"[ -]", "", held)[: len(bare) + 1]
        shape = re.sub(r"\d", "0", bare)
        if re.sub(r"\d", "0", other[: len(bare)]) == shape and OSA.distance(bare, other[: len(bare)], score_cutoff=1) <= 1:
            return held
    return None


@lru_cache(maxsize=4)
def _models_held(support: Support) -> tuple[str, ...]:
    """Models that were asked about or sized: not those that only a passage names."""
    asked = [support.question]
    for finding in support.evidence.findings:
        asked += [str(value) for key, value in finding.args.items() if key in ("model", "arch", "network", "text", "name")]
    return tuple(dict.fromkeys(match.group().lower().rpartition("/")[2] for text in asked for match in MODEL.finditer(text)))


def _is_mixed(word: str) -> bool:
    return len(word) >= NEAR and any(c.isdigit() for c in word) and any(c.isalpha() for c in word) and not ORDINARY.fullmatch(word)


def _nearest(word: str, support: Support) -> str | None:
    """A name of question, tool calls or catalog that is one character off the word."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    words = _words_held(support) if _is_mixed(word) else _families_held(support)
    match = process.extractOne(word, words, scorer=OSA.distance, score_cutoff=1)
    return match[0] if match and match[1] else None


@lru_cache(maxsize=4)
def _words_held(support: Support) -> tuple[str, ...]:
    asked = [support.question, support.reference]
    for finding in support.evidence.findings:
        asked += [str(value) for value in finding.args.values() if isinstance(value, (str, list))]
    words = {match.group().lower() for text in asked for match in WORD.finditer(text)}
    return tuple(word for word in {*words, *facts.families()} if _is_mixed(word))


@lru_cache(maxsize=4)
def _families_held(support: Support) -> tuple[str, ...]:
    return tuple(name for name in (*facts.families(), *cpu_families()) if stands(name, support.lower))


def _problem(match: re.Match[str], said: Said, why: str) -> Problem:
    return Problem("name", match.group(), said.start + match.start(), f"“{match.group()}” {why}")
