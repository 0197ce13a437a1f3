"""ECMAScript source of a tree, with the same meaning and without groups that capture."""

from abtest.domain.targeting.admission_syntax import (
    CLASS_ESCAPES,
    DOT,
    EVERYTHING,
    Assertion,
    Choice,
    Node,
    Ranges,
    Sequence,
    Units,
)

_NAMES = {DOT: ".", EVERYTHING: "[^]", (): "[]", **{ranges: f"\\{name}" for name, ranges in CLASS_ESCAPES.items()}}


def written(node: Node) -> str:
    """Return the source of a tree; it can be put before and after any other."""
    if isinstance(node, Units):
        return units(node.ranges)
    if isinstance(node, Assertion):
        return node.kind
    if isinstance(node, Sequence):
        return "".join(written(item) for item in node.items) or "(?:)"
    if isinstance(node, Choice):
        return f"(?:{'|'.join(written(option) for option in node.options)})"
    body = written(node.body) if isinstance(node.body, Units | Choice) else f"(?:{written(node.body)})"
    if node.most is None:
        quantifier = {0: "*", 1: "+"}.get(node.least, f"{{{node.least},}}")
    else:
        quantifier = "?" if (node.least, node.most) == (0, 1) else f"{{{node.least},{node.most}}}"
    return body + quantifier + ("?" if node.lazy else "")


def units(ranges: Ranges) -> str:
    """Return a set of code units as one atom."""
    if ranges in _NAMES:
        return _NAMES[ranges]
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return unit(ranges[0][0])
    return f"[{''.join(unit(low) if low == high else f'{unit(low)}-{unit(high)}' for low, high in ranges)}]"


def unit(code: int) -> str:
    """Return one code unit, escaped unless it is an ASCII letter or digit."""
    letter = chr(code)
    # Escaped even where it need not be, so that no neighbour gives it a meaning.
    return letter if letter.isascii() and letter.isalnum() else f"\\u{code:04x}"
