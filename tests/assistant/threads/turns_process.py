"""A process that adds turns to a thread: `python -m tests.assistant.threads.turns_process WHERE FOLDER NAME WORD COUNT`."""

from __future__ import annotations

import sys
from pathlib import Path

from assistant.threads import Threads, open_checkpointer
from tests.assistant.threads.making import add_turn


def main() -> None:
    where, folder, name, word, count = sys.argv[1:]
    with open_checkpointer(where, data_dir=Path(folder)) as checkpointer:
        threads = Threads(checkpointer)
        for number in range(int(count)):
            add_turn(threads, name, f"{word} {number}")
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
