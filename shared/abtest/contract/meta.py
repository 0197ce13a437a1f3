"""Answers about the API itself."""

from typing import Literal

from abtest.contract.base import Output


class Pong(Output):
    """The API is there and knows the key."""

    ok: Literal[True]
