"""Results kept until the facts change."""

from __future__ import annotations

from knowledge.kept import forget, kept


def test_results_are_kept_until_the_facts_change() -> None:
    calls: list[int] = []

    @kept
    def double(value: int) -> int:
        """Twice the value."""
        calls.append(value)
        return 2 * value

    assert [double(2), double(2), double(3)] == [4, 4, 6]
    assert calls == [2, 3]
    assert double.__doc__ == "Twice the value."
    forget()
    assert double(2) == 4
    assert calls == [2, 3, 2]


def test_a_result_in_the_making_while_the_facts_change_is_made_again() -> None:
    facts = ["old"]

    @kept
    def row() -> str:
        read = facts[0]
        if read == "old":  # as if another thread changed them just now
            facts[0] = "new"
            forget()
        return read

    @kept
    def of_row() -> str:
        return row() + " row"

    assert of_row() == "new row"
