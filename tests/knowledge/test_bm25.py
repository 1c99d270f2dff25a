import math

import pytest

from knowledge.bm25 import WordIndex


def test_scores_follow_the_formula() -> None:
    index = WordIndex([["a", "b"], ["a", "a", "c", "d"]], k1=1.2, b=0.75)
    idf = math.log(1 + (2 - 1 + 0.5) / 1.5)
    length = 1.2 * (1 - 0.75 + 0.75 * 2 / 3)
    assert index.idf("b") == pytest.approx(idf)
    assert index.scores(["b"])[0] == pytest.approx(1 / (1 + length))  # share of the best, idf falls out


def test_common_words_have_no_vote_when_only_rare_ones_do() -> None:
    index = WordIndex([["gpu", "rare"], ["gpu"], ["gpu"], ["gpu"]])
    assert set(index.scores(["gpu"])) == {0, 1, 2, 3}
    assert index.scores(["gpu"], max_share=0.5) == {}
    assert set(index.scores(["gpu", "rare"], max_share=0.5)) == {0}


def test_unknown_words_lower_the_share() -> None:
    index = WordIndex([["known"], ["other"]])
    assert index.scores(["known", "qwertz"])[0] < index.scores(["known"])[0]


def test_nothing_to_search_gives_nothing() -> None:
    assert WordIndex([]).scores(["a"]) == {}
    assert WordIndex([["a"]]).scores([]) == {}
