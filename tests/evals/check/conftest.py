from __future__ import annotations

import pytest

from evals.check.turns import Rules, open_rules


@pytest.fixture(scope="session")
def rules() -> Rules:
    """The rules over the shipped knowledge; what they played once is kept."""
    return open_rules()
