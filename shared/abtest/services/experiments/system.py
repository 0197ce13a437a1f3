"""Who acts where nobody's key does: the system's user, as the audit knows it."""

from abtest.services.context import Caller

SYSTEM_USER_ID = "00000000-0000-7000-8000-000000000001"
"""Signs the audit of what nobody's key did."""


def system_caller(shop_id: str, request_id: str) -> Caller:
    """The system at work in a shop; `request_id` says which of its parts."""
    return Caller(
        key_id="system",
        kind="shop",
        user_id=SYSTEM_USER_ID,
        shop_id=shop_id,
        scopes=frozenset(),
        request_id=request_id,
    )
