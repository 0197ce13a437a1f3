"""Frozen dataclasses as JSON documents and back, by their type hints, across releases.

A document may lack fields that are younger than it, and may hold fields that are younger than this code (two releases
run side by side during a deployment): defaults fill the first, the second are ignored. Tuples are stored as lists,
frozen sets as sorted lists, dataclasses as objects. What a hint calls a mapping, a scalar or `Any` is stored as it is.
"""

import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

Document = dict[str, object]
"""Stored form of a dataclass; only `decode` looks into it."""

T = TypeVar("T")

_Convert = Callable[[Any], Any]
_UNCHANGED = frozenset({str, int, float, bool, type(None), Any, object, dict, Mapping})


@dataclass(frozen=True, slots=True)
class _Codec:
    """Conversion of one type's values; None where the stored form is the value itself."""

    encode: _Convert | None = None
    decode: _Convert | None = None


@dataclass(frozen=True, slots=True)
class _Plan:
    """Fields of a dataclass, and the conversions of those that need one."""

    names: tuple[str, ...]
    encoders: tuple[tuple[str, _Convert], ...]
    decoders: tuple[tuple[str, _Convert], ...]


def encode(value: Any, *, omit: Collection[str] = ()) -> Document:
    """Return the document of a dataclass, without the fields to `omit`."""
    plan = _plans.get(type(value)) or _plan(type(value))
    document = {name: getattr(value, name) for name in plan.names}
    for name, convert in plan.encoders:
        document[name] = convert(document[name])
    for name in omit:
        del document[name]
    return document


def decode(kind: type[T], document: Mapping[str, Any], **known: Any) -> T:
    """Return the dataclass that a document holds; `known` are fields that are stored elsewhere.

    Raises TypeError when a field without default is missing.
    """
    plan = _plans.get(kind) or _plan(kind)
    values = {name: document[name] for name in plan.names if name in document}
    for name, convert in plan.decoders:
        if name in values:
            values[name] = convert(values[name])
    return kind(**values | known)


_plans: dict[type[Any], _Plan] = {}


def _plan(kind: type[Any]) -> _Plan:
    # Made once for a class, at its first document: to resolve the hints takes longer than many conversions.
    hints = get_type_hints(kind)
    codecs = {field.name: _codec(hints[field.name]) for field in fields(kind)}
    # Two threads may make the same plan at once. Both are equal, so it needs no lock.
    _plans[kind] = plan = _Plan(
        names=tuple(codecs),
        encoders=tuple((name, codec.encode) for name, codec in codecs.items() if codec.encode),
        decoders=tuple((name, codec.decode) for name, codec in codecs.items() if codec.decode),
    )
    return plan


def _codec(hint: Any) -> _Codec:
    """Codec of a type. Raises TypeError for a type that has no stored form."""
    origin, arguments = get_origin(hint) or hint, get_args(hint)
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is tuple:
        return _tuple(arguments)
    if origin is frozenset:
        return _Codec(sorted, frozenset)
    if origin is Literal or origin in _UNCHANGED or is_typeddict(origin):
        return _Codec()
    if is_dataclass(origin) and isinstance(origin, type):
        return _Codec(encode, lambda document: decode(origin, document))
    raise TypeError(f"no stored form of {hint}")


def _union(arguments: tuple[Any, ...]) -> _Codec:
    """Only a union with None may hold what is converted: the stored form does not name its type."""
    codecs = [_codec(argument) for argument in arguments if argument is not type(None)]
    if all(codec == _Codec() for codec in codecs):
        return _Codec()
    if len(codecs) > 1:
        raise TypeError(f"no stored form of a union of {arguments}")
    return _Codec(_unless_none(codecs[0].encode), _unless_none(codecs[0].decode))


def _tuple(arguments: tuple[Any, ...]) -> _Codec:
    if not (len(arguments) == 2 and arguments[1] is ...):
        if any(_codec(argument) != _Codec() for argument in arguments):
            raise TypeError(f"no stored form of a tuple of {arguments}")
        return _Codec(list, tuple)
    item = _codec(arguments[0])
    return _Codec(_each(list, item.encode), _each(tuple, item.decode))


def _each(collection: Callable[[Any], Any], convert: _Convert | None) -> _Convert:
    return collection if convert is None else lambda values: collection([convert(value) for value in values])


def _unless_none(convert: _Convert | None) -> _Convert | None:
    return None if convert is None else lambda value: None if value is None else convert(value)
