"""Findings that were made before are not made again: the tools are sums and look-ups, and give the same for the same."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from knowledge.active import active_files
from tools.site import current_site

MOST = 32
"""Findings that are kept, newest first; a large one has 250 kB."""
CHANGING = ("search_guides", "check_claims", "catalog_state")
"""Tools whose result may change while the catalog stays the same: documents are added, days pass."""


class KnownFindings(AgentMiddleware[Any, Any, Any]):
    """Remembers tool results by tool, arguments and the catalog in use. Safe for many threads."""

    def __init__(self) -> None:
        super().__init__()
        self._known: OrderedDict[str, tuple[Any, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Answers from memory where it can."""
        call = request.tool_call
        if call["name"] in CHANGING:
            return handler(request)
        files = active_files()
        key = json.dumps([call["name"], call["args"], files and str(files.path), current_site()], sort_keys=True, default=str)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                content, artifact = self._known[key]
                return ToolMessage(content, artifact=artifact, name=call["name"], tool_call_id=call["id"])
        result = handler(request)
        if isinstance(result, ToolMessage) and result.status != "error" and result.artifact is not None:
            self._keep(key, result)
        return result

    def _keep(self, key: str, result: ToolMessage) -> None:
        with self._lock:
            self._known[key] = (result.content, result.artifact)
            while len(self._known) > MOST:
                self._known.popitem(last=False)
