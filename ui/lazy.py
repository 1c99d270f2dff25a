"""A group of commands each of which is imported and built when it is called or listed: a command line starts in the time of one."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
import typer.main
from typer.core import TyperGroup


class LazyGroup(TyperGroup):
    """`commands_by_name` maps a name to "module:attribute": a function, or a Typer app of its own."""

    commands_by_name: Mapping[str, str] = {}

    def list_commands(self, ctx: Any) -> list[str]:
        return [*self.commands_by_name, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        place = self.commands_by_name.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        module, attribute = place.split(":")
        found = getattr(import_module(module), attribute)
        around = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        if isinstance(found, typer.Typer):
            around.add_typer(found, name=cmd_name)
        else:
            around.command(cmd_name)(found)
        return typer.main.get_group(around).commands[cmd_name]
