"""Whether storefronts wait for a visitor's consent, and whom they ask for it."""

from collections.abc import Iterator, Mapping
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
    """`getter` counts for `custom` only; without a required group the provider's usual one is asked for."""

    enabled: bool = False
    provider: str = CUSTOM
    getter: str = ""
    required_group: str = ""

    @property
    def reader(self) -> ConsentReader | None:
        """How storefronts ask; None where no consent is asked for."""
        return reader_of(self.provider, self.getter) if self.enabled else None


UNTOUCHED = ConsentMode()
"""What holds in a shop that never said anything."""


def from_document(document: Mapping[str, object]) -> ConsentMode:
    """The setting of a stored form, which `kit.documents.encode` made."""
    return decode(ConsentMode, document)


def merged(before: ConsentMode, changes: Mapping[str, Any]) -> ConsentMode:
    """The setting after a merge patch. Raises ValidationFailedError for a custom provider whose getter is none."""
    after = replace(before, **changes)
    refuse("the consent provider cannot be asked like this", _contradictions(after))
    return after


def compiled(mode: ConsentMode) -> PublishedConsent | None:
    """What storefronts must know, as docs/data-model.md section 1.1 has it; None where no consent is asked for."""
    reader = mode.reader
    if reader is None:
        return None
    group = reader.group(mode.required_group)
    published: PublishedConsent = {"read": reader.read, "events": list(reader.events)}
    if group:
        published["group"] = group
    return published


def _contradictions(mode: ConsentMode) -> Iterator[FieldError]:
    if mode.provider != CUSTOM or not (mode.enabled or mode.getter):
        return
    try:
        getter_parts(mode.getter)
    except InvalidGetterError as error:
        yield FieldError("consentMode.getter", str(error))
