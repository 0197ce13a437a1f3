"""System user: the caller of changes that no key makes."""

from abtest.services.context import Caller

SYSTEM_USER_ID = "00000000-0000-7000-8000-000000000001"
"""User id in audit rows of changes that no key made."""


def system_caller(shop_id: str, request_id: str) -> Caller:
    """Return the system as the caller in a shop; `request_id` names the part that acts."""
    return Caller(
        key_id="system",
        kind="shop",
        user_id=SYSTEM_USER_ID,
        shop_id=shop_id,
        scopes=frozenset(),
        request_id=request_id,
    )
