"""Preview tokens: made, read, and refused when anything about them is wrong."""

from dataclasses import replace

import pytest

from abtest.domain.credentials.preview import (
    ExpiredPreviewTokenError,
    InvalidPreviewTokenError,
    PreviewGrant,
    make_token,
    read_token,
)
from abtest.domain.credentials.signing import RootKeys

OLD = RootKeys(active="k1", keys={"k1": b"first root"})
BOTH = RootKeys(active="k2", keys={"k1": b"first root", "k2": b"second root"})
NEW = RootKeys(active="k2", keys={"k2": b"second root"})
GRANT = PreviewGrant(
    session_id="s", shop_id="shop", hosts=("shop.example:8443",), expires_at=1000, experiment_id="e", variation_id="v"
)


NO_TOKENS = [
    "",
    ".",
    "...",
    "v1",
    "v1.k1",
    "v1.k1.x",
    "v1.k1.x.",
    "v2.k1.x.y",
    "v1.k9.x.y",
    "é.é.é.é",
    "\ud800",
    "a" * 5000,
]


def test_token__read_back__is_the_grant() -> None:
    token = make_token(OLD, GRANT)
    assert token.startswith("v1.k1.")
    assert token.count(".") == 3
    assert read_token(OLD, token, 999) == GRANT


def test_token__without_a_variation__says_nothing_of_one() -> None:
    plain = replace(GRANT, experiment_id=None, variation_id=None)
    assert read_token(OLD, make_token(OLD, plain), 0) == plain


def test_token__during_and_after_a_rotation__holds_while_its_key_does() -> None:
    token = make_token(OLD, GRANT)
    assert read_token(BOTH, token, 0) == GRANT
    assert make_token(BOTH, GRANT).startswith("v1.k2.")
    with pytest.raises(InvalidPreviewTokenError):
        read_token(NEW, token, 0)


@pytest.mark.parametrize("now", [1000, 1001])
def test_token__at_its_end__is_over(now: int) -> None:
    with pytest.raises(ExpiredPreviewTokenError):
        read_token(OLD, make_token(OLD, GRANT), now)


def test_token__any_letter_changed__is_refused() -> None:
    token = make_token(OLD, GRANT)
    for position, letter in enumerate(token):
        forged = token[:position] + ("A" if letter != "A" else "B") + token[position + 1 :]
        with pytest.raises(InvalidPreviewTokenError):
            read_token(OLD, forged, 0)


@pytest.mark.parametrize(
    "text",
    ["", ".", "...", "v1", "v1.k1", "v1.k1.x", "v1.k1.x.", "v2.k1.x.y", "v1.k9.x.y", "é.é.é.é", "\ud800", "a" * 5000],
)
def test_token__no_token_at_all__is_refused(text: str) -> None:
    with pytest.raises(InvalidPreviewTokenError):
        read_token(OLD, text, 0)
