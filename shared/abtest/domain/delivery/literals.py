"""JSON as JavaScript, safe in the scripts of HTML pages and in old engines."""

import re

from abtest.kit import canonical_json

_PROTOTYPE = re.compile(r'(?<=[{,])"__proto__":')
_NAME = re.compile(r'(?<=[{,])"([A-Za-z_]\w*)":', re.ASCII)
_ESCAPES = (
    (re.compile("<(?=!--|/?script)", re.IGNORECASE | re.ASCII), r"\\u003c"),
    (re.compile("\u2028"), r"\\u2028"),
    (re.compile("\u2029"), r"\\u2029"),
)
"""Texts that end or change a script element, or end a line in old engines."""


def expression(value: object) -> str:
    """Return JSON as a JavaScript expression, which is JSON as well where nothing has the key `__proto__`.

    That key would set a prototype, so it is written as a computed key.
    """
    # A key follows a brace or a comma; a quote inside a text follows a backslash, so no text is taken for a key.
    return _PROTOTYPE.sub('["__proto__"]:', _json(value))


def literal(value: object) -> str:
    """Return JSON as a JavaScript expression, names unquoted."""
    return _NAME.sub(r"\1:", expression(value))


def as_text(value: object) -> str:
    """Return JSON as a JavaScript string, for the SDK to parse."""
    # Backslashes first, because the escape of a quote adds one.
    text = _json(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"


def _json(value: object) -> str:
    text = canonical_json.ordered(value)
    for dangerous, escape in _ESCAPES:
        text = dangerous.sub(escape, text)
    return text
