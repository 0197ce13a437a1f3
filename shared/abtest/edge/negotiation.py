"""Content negotiation (RFC 9110, section 12.5.3)."""

from functools import lru_cache

from abtest.domain.delivery.manifest import Encoding
from abtest.kit.content_coding import accepted_codings, variant_tag

_PREFERRED: tuple[Encoding, ...] = ("br", "gzip")


# Browsers send few different headers.
@lru_cache(maxsize=256)
def chosen_encoding(accept_encoding: str | None) -> Encoding:
    """Return the best encoding that the header allows; of two with the same weight the smaller one.

    Plain bytes when it allows none, even if it refuses those too, because a storefront needs some answer.
    """
    weights = accepted_codings(accept_encoding or "")
    others = weights.get("*", 0.0)
    # `max` returns the first of equal ones, so the order of _PREFERRED decides.
    best = max(_PREFERRED, key=lambda encoding: weights.get(encoding, others))
    return best if weights.get(best, others) > 0 else "identity"


def etag(sha256_hex: str, encoding: Encoding) -> str:
    """Return the strong tag of a variant."""
    return variant_tag(f'"{sha256_hex}"', encoding)
