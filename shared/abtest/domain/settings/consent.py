"""Consent mode: the provider from which storefronts read a visitor's consent before they show or count anything."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from abtest.domain.settings.consent_providers import CUSTOM, ConsentReader, InvalidGetterError, getter_parts, reader_of
from abtest.domain.settings.refusals import refuse
from abtest.domain.settings.shapes import PublishedConsent
from abtest.kit.documents import decode
from abtest.kit.errors import FieldError

MAX_GROUP_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentMode:
    """Consent setting. Only `custom` reads `getter`; without a required group the provider's default one is read."""

    enabled: bool = False
    provider: str = CUSTOM
    getter: str = ""
    required_group: str = ""

    @property
    def reader(self) -> ConsentReader | None:
        """Return the reader that storefronts use; None where no consent is required."""
        return reader_of(self.provider, self.getter) if self.enabled else None


UNTOUCHED = ConsentMode()
"""Setting of a shop that never changed it."""


def from_document(document: Mapping[str, object]) -> ConsentMode:
    """Return the setting of a stored form, which `kit.documents.encode` made."""
    return decode(ConsentMode, document)


def merged(before: ConsentMode, changes: Mapping[str, Any]) -> ConsentMode:
    """Return the setting after a merge patch. Raises ValidationFailedError for a custom provider with a bad getter."""
    after = replace(before, **changes)
    problems = []
    if after.provider == CUSTOM and (after.enabled or after.getter):
        try:
            getter_parts(after.getter)
        except InvalidGetterError as error:
            problems.append(FieldError("consentMode.getter", str(error)))
    refuse("the consent provider cannot be read like this", problems)
    return after


def compiled(mode: ConsentMode) -> PublishedConsent | None:
    """Return the runtime field of section 1.1 of docs/data-model.md; None where no consent is required."""
    reader = mode.reader
    if reader is None:
        return None
    group = reader.group(mode.required_group)
    published: PublishedConsent = {"read": reader.read, "events": list(reader.events)}
    if group:
        published["group"] = group
    return published
