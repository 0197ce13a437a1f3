"""Responses about the API itself."""

from typing import Literal

from abtest.contract.base import ABSENT, Output
from abtest.contract.errors import ErrorBody, ErrorEnvelope


class Pong(Output):
    """The API is available and accepts the key."""

    ok: Literal[True]


class ForbiddenBody(ErrorBody):
    """The key is valid but not permitted; `required_scope` is the scope it lacks, if any."""

    required_scope: str = ABSENT


class ForbiddenEnvelope(ErrorEnvelope):
    """A refused key; `required_scope` is also repeated next to the error."""

    error: ForbiddenBody
    required_scope: str = ABSENT
