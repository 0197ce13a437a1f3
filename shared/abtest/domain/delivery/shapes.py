"""Shapes of the published config (section 1 of docs/data-model.md); what is decided about is in `assignment/shapes`."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from abtest.domain.assignment.shapes import Decided
from abtest.domain.settings.shapes import (
    ExposureDestination,
    PublishedConsent,
    PublishedEnvironment,
    PublishedHandover,
)
from abtest.domain.signals.shapes import CompiledTrigger


class PublishedRuntime(TypedDict):
    """Settings that a storefront needs."""

    environment: str
    currency: str
    events_url: str
    events_signature: str
    consent: NotRequired[PublishedConsent]
    handover: NotRequired[PublishedHandover]
    environments: NotRequired[list[PublishedEnvironment]]
    domains: NotRequired[Sequence[str]]
    exposures: NotRequired[Sequence[ExposureDestination]]
    assets_url: NotRequired[str]
    preview: NotRequired[bool]


class PublishedSignals(TypedDict):
    """Data-layer triggers."""

    triggers: NotRequired[Sequence[CompiledTrigger]]


class PublishedRevision(TypedDict):
    """Format of the config and revision of the publication."""

    format: int
    revision: int


class PublishedConfig(Decided):
    """The config of one environment of a shop."""

    runtime: PublishedRuntime
    signals: PublishedSignals
    profile: dict[str, str]
    delivery: PublishedRevision
