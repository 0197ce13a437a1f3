"""Answers about the API itself."""

from typing import Literal

from abtest.contract.base import ABSENT, Output
from abtest.contract.errors import ErrorEnvelope


class Pong(Output):
    """The API is there and knows the key."""

    ok: Literal[True]


class ForbiddenEnvelope(ErrorEnvelope):
    """The key is live but may not do this; `required_scope` names what it lacks, when that is a scope."""

    required_scope: str = ABSENT
