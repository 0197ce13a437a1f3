"""Exposure destinations: tools of the shop's own analytics that storefronts pass exposures on to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from abtest.domain.settings.shapes import ExposureDestination
from abtest.kit.documents import decode


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureDestinations:
    """Switches of the tools, one each."""

    ga4: bool = False
    segment: bool = False

    @property
    def enabled(self) -> Sequence[ExposureDestination]:
        """Return the tools that get the exposures: the runtime field of section 1 of docs/data-model.md."""
        destinations: Mapping[ExposureDestination, bool] = {"ga4": self.ga4, "segment": self.segment}
        return [name for name, is_enabled in destinations.items() if is_enabled]


UNTOUCHED = ExposureDestinations()
"""Setting of a shop that never changed it."""


def from_document(document: Mapping[str, object]) -> ExposureDestinations:
    """Return the setting of a stored form, which `kit.documents.encode` made."""
    return decode(ExposureDestinations, document)


def merged(before: ExposureDestinations, changes: Mapping[str, bool]) -> ExposureDestinations:
    """Return the setting after a merge patch."""
    return replace(before, **changes)
