"""Follows every storage of a run from birth to death: a dispatch mode that sees each operation below autograd."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .allocator import Event

Extra = Callable[[str, tuple[Any, ...]], int]
"""(operation, its arguments) → bytes that the operation takes while it runs."""


class LiveStorages(TorchDispatchMode):
    """Logs births and deaths of storages as events. A view shares its base's storage and is no birth.

    Storages of `kept` tensors (parameters, buffers, gradients that stay) are known from the start and never logged.
    """

    def __init__(self, kept: Iterable[torch.Tensor], *, workspace: Extra | None = None, temporary: Extra | None = None) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.workspace, self.temporary = workspace, temporary
        self.workspace_uids: set[int] = set()
        self._uid = 0
        self._alive: dict[int, int] = {}
        self._kept = [tensor.untyped_storage() for tensor in kept]
        for storage in self._kept:
            self._alive[storage._cdata] = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        result = func(*args, **(kwargs or {}))
        name = str(func)
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor):
                self.watch(leaf, name)
        if self.workspace is not None and "convolution" in name:
            self.workspace_uids.add(self.add_transient(self.workspace(name, args), name))
        elif self.temporary is not None:
            self.add_transient(self.temporary(name, args), name)
        return result

    def watch(self, tensor: torch.Tensor, what: str) -> None:
        """Logs the birth of the tensor's storage, unless it is known, and its death when it comes."""
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if key in self._alive or size == 0:
            return
        uid = self._next()
        self._alive[key] = uid
        self.events.append(Event(uid, size, what))
        weakref.finalize(storage, _log_death, weakref.ref(self), key, uid, size).atexit = False

    def _next(self) -> int:
        self._uid += 1
        return self._uid

    def add_transient(self, size: int, what: str) -> int:
        """Logs `size` bytes that live for a moment; the number under which they were logged, 0 for no bytes."""
        if not size:
            return 0
        uid = self._next()
        self.events += [Event(uid, size, what), Event(-uid, size, what)]
        return uid

    def uid_of(self, tensor: torch.Tensor) -> int:
        """The number under which the tensor's storage was logged; 0 if it was not."""
        return self._alive.get(tensor.untyped_storage()._cdata, 0)

    def forget(self, key: int, uid: int, size: int) -> None:
        if self._alive.get(key) == uid:
            del self._alive[key]
            self.events.append(Event(-uid, size))


def _log_death(run: weakref.ref[LiveStorages], key: int, uid: int, size: int) -> None:
    storages = run()
    if storages is not None:
        storages.forget(key, uid, size)
