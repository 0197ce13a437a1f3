"""Data URIs in code: detection of those that are too long to be delivered to every shopper."""

import re

MAX_LENGTH = 4096
"""Characters that an inline data URI may have; images belong in assets."""

# Each part is bounded, so no text makes the search backtrack over the same letters.
_START = re.compile(
    r"""data:[\w.+-]{0,100}(?:/[\w.+*-]{0,100})?(?:;[\w.+-]{1,100}(?:=[^,;"']{0,100})?){0,8},""",
    re.IGNORECASE | re.ASCII,
)
_BARE_END = re.compile(r"""[\s"'`()<>]""")
_QUOTES = {'"': '"', "'": "'", "`": "`"}


def has_oversized_data_uri(code: str) -> bool:
    """Return whether any data URI in the code is longer than MAX_LENGTH characters.

    A URI ends at its closing quote or, outside quotes, at white space, a quote, a bracket or a tag. The search stops
    at the first that is too long, so no text costs more than its length times MAX_LENGTH / 8 steps.
    """
    for uri in _START.finditer(code) if len(code) > MAX_LENGTH else ():
        start, limit = uri.start(), uri.start() + MAX_LENGTH + 1
        # The rest is too short for this URI to be too long, and so for every later one.
        if len(code) < limit:
            return False
        quote = _QUOTES.get(code[start - 1 : start])
        ends = code.find(quote, start, limit) >= 0 if quote else _BARE_END.search(code, start, limit) is not None
        if not ends:
            return True
    return False
