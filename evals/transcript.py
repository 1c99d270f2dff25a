"""Keeps the README's questions and answers true: writes what the program says today between the marks.

`python -m evals.transcript` rewrites README.md; with `--check` it only says whether anything differs (exit code 1).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from assistant import Answer, Assistant, Citation
from knowledge import facts

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"(<!-- ask: (?P<question>.+?) -->\n).*?(<!-- end -->)", re.S)


def fill(text: str, assistant: Assistant) -> str:
    """`text` with the answer to each `<!-- ask: QUESTION -->` written up to its `<!-- end -->`."""

    def answer(match: re.Match[str]) -> str:
        question = match["question"]
        return f"{match[1]}\n> **{question}**\n\n{_quoted(assistant.ask(question))}\n\n{match[3]}"

    return BLOCK.sub(answer, text)


def _quoted(answer: Answer) -> str:
    """The answer and its sources as a Markdown quote."""
    sources = [f"[{c.n}] {c.title}, {_date(c)}, {c.trust}" for c in answer.citations]
    lines = [*answer.text.splitlines(), "", *(f"{line}  " for line in sources)]
    return "\n".join(f"> {line}".rstrip() if line else ">" for line in lines)


def _date(citation: Citation) -> str:
    source = facts.sources().get(citation.source_id)
    return citation.published_on or (f"read {source.checked_on}" if source else "undated")


def main() -> int:
    """Rewrites README.md, or compares."""
    before = README.read_text(encoding="utf-8")
    after = fill(before, Assistant())
    if "--check" in sys.argv:
        return int(before != after)
    README.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
