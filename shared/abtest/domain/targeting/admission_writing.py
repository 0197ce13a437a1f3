"""Writes a tree as an ECMAScript source that means the same, without groups that capture."""

from abtest.domain.targeting.admission_syntax import (
    CLASS_ESCAPES,
    DOT,
    EVERYTHING,
    Assertion,
    Choice,
    Node,
    Ranges,
    Repeat,
    Sequence,
    Units,
)

_NAMES = {DOT: ".", EVERYTHING: "[^]", (): "[]", **{ranges: f"\\{name}" for name, ranges in CLASS_ESCAPES.items()}}


def written(node: Node) -> str:
    """The source of a tree; it can stand before and after any other."""
    if isinstance(node, Units):
        return units(node.ranges)
    if isinstance(node, Assertion):
        return node.kind
    if isinstance(node, Sequence):
        return "".join(written(item) for item in node.items) or "(?:)"
    if isinstance(node, Choice):
        return f"(?:{'|'.join(written(option) for option in node.options)})"
    body = written(node.body) if isinstance(node.body, Units | Choice) else f"(?:{written(node.body)})"
    return body + _quantifier(node) + ("?" if node.lazy else "")


def units(ranges: Ranges) -> str:
    """A set of code units as one atom."""
    if ranges in _NAMES:
        return _NAMES[ranges]
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _unit(ranges[0][0])
    return f"[{''.join(_unit(low) if low == high else f'{_unit(low)}-{_unit(high)}' for low, high in ranges)}]"


def _unit(unit: int) -> str:
    letter = chr(unit)
    return letter if letter.isascii() and letter.isalnum() else f"\\u{unit:04x}"


def _quantifier(node: Repeat) -> str:
    if node.most is None:
        return {0: "*", 1: "+"}.get(node.least, f"{{{node.least},}}")
    return "?" if (node.least, node.most) == (0, 1) else f"{{{node.least},{node.most}}}"
