"""Commands of a draft: what orders a machine or starts an engine must stand in the evidence, up to spaces and line ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .draft_text import CODE, DraftText, Span
from .problem import Problem
from .support import Support

ORDERS = re.compile(r"(?m)^\s*(?:aliyun |terraform |tofu |resource \"|provider \"|module \"|data \")|RunInstances|CreateInstance|alicloud_")
"""What orders machines: the cloud's command line, Terraform."""
STARTS = re.compile(
    r"(?m)^\s*(?:\$ |# )?(?:[A-Z_]+=\S+ )*(?:sudo )?(?:vllm (?:serve|bench)|python3? -m |docker (?:run|compose)|nerdctl run|podman run|ollama (?:run|serve|pull)|torchrun |accelerate launch|deepspeed |swift (?:sft|rlhf|infer|deploy)|llamafactory-cli|llama-server|llama-cli|sglang|lmdeploy|trtllm-serve|bash |sh |curl |kubectl |helm |mpirun |tune run|xtuner )"
)
"""What starts an engine, a training, or anything that runs at once."""
CONTINUED = re.compile(r"\s*\\\s*\n\s*")
SPACES = re.compile(r"\s+")


def without_proved(draft: DraftText, support: Support) -> DraftText:
    """The draft without the code blocks that stand word for word in the evidence (`[0]` in a command cites nothing)."""
    return draft.blanked([match.span() for match in CODE.finditer(draft.folded) if match.group(1).strip() in support.text])


def bad_commands(draft: DraftText, support: Support) -> Iterator[Problem]:
    """The lines of orders that no evidence has: what creates a machine is never of a model's own making."""
    for block in draft.blocks:
        if not ORDERS.search(block.text):
            continue
        start = block.start
        for line in block.text.split("\n"):
            if line.strip() and line.strip() not in support.text:
                yield Problem("command", line.strip(), start, "A command that orders machines must be the tool's own, word for word.")
            start += len(line) + 1


def bad_starts(draft: DraftText, support: Support) -> Iterator[Problem]:
    """Commands of a chat model's draft that start something and stand in no evidence."""
    for command in commands_of(draft):
        if not ORDERS.search(command.text) and not is_known(command.text, support):
            yield Problem("command", command.text.strip(), command.start, "This command is in no tool result: give the tool's command as it is, or none.")
    for span in draft.inline:
        if ORDERS.search(span.text) and len(span.text.split()) > 2 and not is_known(span.text, support):
            yield Problem("command", span.text, span.start, "A command that orders machines must be the tool's own, word for word.")


def proved_code(draft: DraftText, support: Support) -> list[tuple[int, int]]:
    """Stretches of commands that stand in the evidence; their figures need no further proof."""
    return [(command.start, command.end) for command in commands_of(draft) if is_known(command.text, support)]


def commands_of(draft: DraftText) -> Iterator[Span]:
    """Commands that start something, in blocks (continued lines as one) and between backticks."""
    for block in draft.blocks:
        at = block.start
        for line in re.split(r"(?<!\\)\n", block.text):
            if STARTS.search(line):
                yield Span(at, at + len(line), line)
            at += len(line) + 1
    for span in draft.inline:
        if STARTS.search(span.text) and len(span.text.split()) > 2:
            yield span


def is_known(command: str, support: Support) -> bool:
    """Whether the evidence or the answer holds the command, up to white space and continued lines."""
    return tight(command).lstrip("$# ").strip() in support.tight


def tight(text: str) -> str:
    """With single spaces, continued lines joined."""
    return SPACES.sub(" ", CONTINUED.sub(" ", text))
