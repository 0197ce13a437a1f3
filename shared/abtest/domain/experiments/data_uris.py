"""Data URIs inside code: where one is too long to be delivered to every shopper."""

import re

MAX_LENGTH = 4096
"""Characters that an inline data URI may have; images belong into assets."""

# Each part has an end, so that no text makes the search go over the same letters again and again.
_START = re.compile(
    r"""data:[\w.+-]{0,100}(?:/[\w.+*-]{0,100})?(?:;[\w.+-]{1,100}(?:=[^,;"']{0,100})?){0,8},""",
    re.IGNORECASE | re.ASCII,
)
_BARE_END = re.compile(r"""[\s"'`()<>]""")
_QUOTES = {'"': '"', "'": "'", "`": "`"}


def has_oversized_data_uri(code: str) -> bool:
    """Whether any data URI in the code is longer than MAX_LENGTH characters.

    A URI ends at the quote that it stands in, or, outside quotes, at white space, a quote, a bracket or a tag. The
    search stops at the first that is too long, so no text costs more than its length times MAX_LENGTH / 8 steps.
    """
    return len(code) > MAX_LENGTH and any(_is_oversized(code, found.start()) for found in _START.finditer(code))


def _is_oversized(code: str, start: int) -> bool:
    limit = start + MAX_LENGTH + 1
    if len(code) < limit:
        return False
    quote = _QUOTES.get(code[start - 1 : start])
    if quote:
        return code.find(quote, start, limit) < 0
    return _BARE_END.search(code, start, limit) is None
