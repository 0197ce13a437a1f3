"""Sending HTTP requests to addresses outside."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


class HttpUnreachableError(Exception):
    """No answer came: the address does not resolve, refuses, is too slow, or does not speak HTTP."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """What came back; redirects are answers like any other. `content_type` is "" when none was told."""

    status: int
    content_type: str
    body: bytes


class HttpSender(Protocol):
    """The one way out."""

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        """Send and wait for the answer, of which at most 1 MiB is read. Raises HttpUnreachableError."""
        ...
