"""Answers about the API itself."""

from typing import Literal

from abtest.contract.base import ABSENT, Output
from abtest.contract.errors import ErrorBody, ErrorEnvelope


class Pong(Output):
    """The API is there and knows the key."""

    ok: Literal[True]


class ForbiddenBody(ErrorBody):
    """The key is live but may not do this; `required_scope` names what it lacks, when that is a scope."""

    required_scope: str = ABSENT


class ForbiddenEnvelope(ErrorEnvelope):
    """A refusal of the key; `required_scope` stands beside the error, too."""

    error: ForbiddenBody
    required_scope: str = ABSENT
