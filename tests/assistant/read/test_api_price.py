"""Prices of an API: which amount is that of input and which of output, wherever the words stand."""

import pytest

from assistant.read.api_price import find_api_rate


@pytest.mark.parametrize(
    "text",
    [
        "pay an api at 2 cny in and 6 cny out per million tokens",
        "input 2 cny output 6 cny per million tokens",
        "api: 2 cny for input and 6 cny for output per million",
        "2 cny per million tokens in, 6 cny per million out",
        "api 输入 2 元，输出 6 元每百万 token",
        "2 元输入 6 元输出，每百万 token 的 api",
    ],
)
def test_each_amount_takes_its_own_word(text: str) -> None:
    found = find_api_rate(text)
    assert found and (found[0].input, found[0].output) == (2.0, 6.0)
