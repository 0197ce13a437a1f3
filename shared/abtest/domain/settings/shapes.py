"""Shapes of settings as the published config has them (section 1.1 of docs/data-model.md)."""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

ExposureDestination = Literal["ga4", "segment"]
"""A tool of the shop's own analytics: Google Analytics 4, or Segment."""


class PublishedConsent(TypedDict):
    """The consent that a page waits for. In a snippet `read` is the position of a function."""

    read: str | int
    events: Sequence[str]
    group: NotRequired[str]


class PublishedHandover(TypedDict):
    """The way of a visitor's id to other domains."""

    param: str
    domains: Sequence[str]
    timeout: int
    ttl: int
    signed: bool
    url: str


class PublishedEnvironment(TypedDict):
    """An environment with a snippet of its own."""

    key: str
    domains: Sequence[str]
