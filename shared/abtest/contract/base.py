"""Building blocks of every wire model: strictness, absent fields, date-times, ids, list pages."""

import re
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    WithJsonSchema,
    model_validator,
)
from pydantic.annotated_handlers import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.ids import is_uuid

ABSENT: Any = Field(default_factory=NoneType)
"""Default of an optional field, which is null only if its type allows it; `provided()` never returns it."""

MAX_DEPTH = 20

# ASCII: otherwise `\d` also matches the digits of other scripts.
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)

_LOST_PLUS = re.compile(r"(?<=[0-9]) (?=\d\d:\d\d\Z)", re.ASCII)

_PUBLIC_ID = re.compile("[1-9][0-9]{9}")
_REFERENCE = "^([1-9][0-9]{9}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$"


class Input(BaseModel):
    """Base of request bodies and their parts: values are not coerced, unknown fields are refused."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True, defer_build=True
    )

    def provided(self) -> Any:
        """Return the fields of the request: absent ones are absent, nulls are None.

        Models whose shape the domain names return that shape; a test compares the fields of both.
        """
        # Without `exclude_unset` an absent field would look like null, and a merge patch would clear it (ADR 0007).
        return self.model_dump(exclude_unset=True)


class OpenInput(Input):
    """An input with an open form: unknown fields are stored, at most MAX_DEPTH levels deep."""

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _is_shallow(cls, value: Any) -> Any:
        return shallow(value)


def shallow(value: Any) -> Any:
    """Return the JSON value unchanged; refuse one nested more than MAX_DEPTH levels deep."""
    # By levels and not by recursion: a deeply nested body must not exhaust the stack before it is refused.
    level = [value]
    for _ in range(MAX_DEPTH):
        inner = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list)]
        level = [child for children in inner for child in children]
    if level:
        raise PydanticCustomError("too_deep", "is nested more than {depth} levels deep", {"depth": MAX_DEPTH})
    return value


class Output(BaseModel):
    """Base of responses. Optional fields have the default ABSENT and are omitted when not set."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    def at(self, version: int, *, shows_others: bool = False) -> Self:
        """Return the same response with its row version, which becomes the ETag and is not a field.

        A response that `shows_others` has fields of other resources, which change without its row version. It is sent
        whole to a client that has this version already.
        """
        # Declared private attributes would be filled in each of the many parts of a response: half of their time.
        object.__setattr__(self, "__pydantic_private__", {"row_version": version, "shows_others": shows_others})
        return self

    @property
    def row_version(self) -> int | None:
        """The version in the ETag; None without one."""
        return (self.__pydantic_private__ or {}).get("row_version")

    @property
    def shows_others(self) -> bool:
        """True where the row version does not stand for all fields."""
        return bool((self.__pydantic_private__ or {}).get("shows_others"))


@dataclass(frozen=True, slots=True)
class AsStored:
    """Mark JSON that a response returns exactly as stored; `shape` only documents it.

    Values from older releases are still served after inputs have become stricter.
    """

    shape: Any

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        # No validation: a stored value that today's input rules refuse must not turn a read into a 500.
        return core_schema.any_schema()

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(TypeAdapter(self.shape).core_schema)


def utc_moment(text: str) -> str:
    """Return an RFC 3339 date-time in UTC with milliseconds. Raises PydanticCustomError."""
    try:
        if _RFC3339.fullmatch(text) is None:
            raise ValueError(text)
        # The RFC allows `t` and `z` in lower case.
        return timestamp(parse_timestamp(text.upper()))
    except OverflowError as error:
        raise PydanticCustomError(
            "date_time_range", "must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z, in UTC"
        ) from error
    except ValueError as error:
        raise PydanticCustomError(
            "date_time", "must be a date-time with its offset, such as 2026-01-31T09:30:00Z"
        ) from error


def with_plus(text: str) -> str:
    """Return a date-time of an address with the plus sign of its offset, which decodes to a space unless escaped."""
    return _LOST_PLUS.sub("+", text)


def lower_uuid(text: str) -> str:
    """Return a UUID in lower case. Raises PydanticCustomError."""
    if not is_uuid(text):
        raise PydanticCustomError("uuid", "must be a UUID, such as 0199d5a0-0000-7000-8000-000000000000")
    return text.lower()


def reference(text: str) -> str:
    """Return a public id unchanged, or a UUID in lower case. Raises PydanticCustomError."""
    if _PUBLIC_ID.fullmatch(text):
        return text
    if not is_uuid(text):
        raise PydanticCustomError(
            "reference", "must be a UUID, such as 0199d5a0-0000-7000-8000-000000000000, or a public id of ten digits"
        )
    return text.lower()


class _UniqueItems:
    """Check that the items differ, and document it in the schema."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def check(items: list[Any]) -> list[Any]:
            # Runs after the items were validated and rewritten, so two spellings of one UUID count as equal.
            if len(set(items)) != len(items):
                raise PydanticCustomError("unique", "must not contain an item twice")
            return items

        return core_schema.no_info_after_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "uniqueItems": True}


Moment = Annotated[str, AfterValidator(utc_moment), WithJsonSchema({"type": "string", "format": "date-time"})]
"""A date-time of a request in any offset, rewritten to UTC with milliseconds."""

MomentParameter = Annotated[
    str,
    BeforeValidator(with_plus),
    AfterValidator(utc_moment),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""The same as a parameter of an address, where `+` means a space: `+02:00` is read as well as `%2B02:00`."""

Uuid = Annotated[str, AfterValidator(lower_uuid), WithJsonSchema({"type": "string", "format": "uuid"})]
"""A UUID of a request, rewritten to lower case."""

Reference = Annotated[str, AfterValidator(reference), WithJsonSchema({"type": "string", "pattern": _REFERENCE})]
"""A UUID or a public id of ten digits; paths accept both."""

Unique = _UniqueItems()
"""Mark a list of scalars whose items must differ."""

DateTime = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
"""A date-time of a response."""

Id = Annotated[str, WithJsonSchema({"type": "string", "format": "uuid"})]
"""A UUID of a response."""

PublicId = Annotated[str, WithJsonSchema({"type": "string", "pattern": "^[1-9][0-9]{9}$"})]
"""The short id for people: ten digits, the first of them 1 to 9."""


@dataclass(frozen=True, slots=True)
class Confidential:
    """Mark a field that gives access to every reader of it. Routes with such a field are confidential."""


Secret = Annotated[str, Field(repr=False), Confidential()]
"""A secret of a response, such as a new key."""


class Pagination(Output):
    """Position in a list. `next_cursor` requests the next page; it is null on the last one."""

    limit: int
    next_cursor: str | None
    has_more: bool


T = TypeVar("T")


class ListOf(Output, Generic[T]):
    """One page of a list."""

    data: list[T]
    pagination: Pagination


class PublicationWarning(Output):
    """The write is saved, but storefronts may still show the previous state. Publishing again resolves it."""

    code: Annotated[str, WithJsonSchema({"const": "storefront_publication_incomplete", "type": "string"})]
    message: str


PUBLICATION_INCOMPLETE = PublicationWarning(
    code="storefront_publication_incomplete",
    message="The change is saved, but the storefront configuration could not be published yet; it will be retried.",
)
