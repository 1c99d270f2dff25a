"""The command `xuanka`: its commands put together, and what happens to errors.

    exit codes   0 answered    1 check: something is wrong    2 cannot be done, one sentence on stderr    70 a bug
"""

from __future__ import annotations

import os
import sys
from typing import Any

import typer

from knowledge.errors import XuankaError

from .catalog_age import say_age, use_refreshed
from .lazy import LazyGroup
from .screen import complain, drop_output, os_sentence, use_utf8

FOUND, CANNOT, BUG = 1, 2, 70


class _Group(LazyGroup):
    """Turns errors that users may see into one sentence and exit code 2."""

    commands_by_name = {
        "ask": "ui.ask:ask",
        "chat": "ui.chat:chat",
        "size": "ui.size:app",
        "instances": "ui.instances:app",
        "price": "ui.price:price",
        "check": "ui.check:check",
        "docs": "ui.docs:app",
        "refresh": "ui.refresh:app",
        "eval": "ui.eval:app",
        "doctor": "ui.doctor:doctor",
    }

    def invoke(self, ctx: Any) -> Any:
        arguments = [*getattr(ctx, "_protected_args", []), *ctx.args]
        try:
            try:
                result = super().invoke(ctx)
            except typer.Exit as done:
                if done.exit_code == FOUND:
                    say_age(ctx.invoked_subcommand, arguments)
                raise
            say_age(ctx.invoked_subcommand, arguments)
            return result
        except XuankaError as error:
            complain(str(error))
            raise typer.Exit(CANNOT) from None
        except BrokenPipeError:
            raise
        except OSError as error:
            if error.filename is None:  # most likely the disk that standard output goes to is full
                drop_output()
            complain(os_sentence(error))
            raise typer.Exit(CANNOT) from None


app = typer.Typer(
    name="xuanka",
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # rich costs more CPU than a sizing, and help is text
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Xuanka 选卡: which Alibaba Cloud GPU instance does this model need, what will it cost, and how do you know?",
)


@app.callback()
def _root(ctx: typer.Context) -> None:
    """Xuanka 选卡: which Alibaba Cloud GPU instance does this model need, what will it cost, and how do you know?"""
    use_refreshed(ctx.invoked_subcommand)


def main() -> None:
    """Entry point of the command."""
    use_utf8()
    try:
        app()
    except BrokenPipeError:
        sys.exit(1)  # the reader has gone (`| head`): nobody is left to tell
    except Exception as bug:
        # Not a setting: this must work when the settings are what is broken.
        if os.environ.get("XUANKA_DEBUG") == "1":
            raise
        from .speech import locale_language, say

        complain(say("error.bug", locale_language(), bug=f"{type(bug).__name__}: {bug}"))
        sys.exit(BUG)
    finally:
        _flush()


def _flush() -> None:
    """Writes what is left. Without a reader or room it goes nowhere, so that Python does not complain at exit."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
    except OSError as error:
        drop_output()
        complain(os_sentence(error))
        sys.exit(CANNOT)


if __name__ == "__main__":
    main()
