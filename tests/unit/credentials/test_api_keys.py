"""The form of keys, what they may do, when they live."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.credentials.api_keys import (
    PREFIXES,
    PRESETS,
    SCOPES,
    ApiKey,
    KeyKind,
    compose,
    digest,
    parse,
    with_implied,
)
from abtest.domain.credentials.stored_keys import from_document, to_document
from abtest.kit import canonical_json
from abtest.kit.ids import BASE62

LETTERS = st.text(BASE62, min_size=12, max_size=12)
SECRETS = st.text(BASE62, min_size=32, max_size=32)


@given(st.sampled_from(sorted(PREFIXES)), LETTERS, SECRETS)
def test_parse__composed_key__gives_kind_and_id_back(kind: KeyKind, lookup_id: str, secret: str) -> None:
    text = compose(kind, lookup_id, secret)
    parsed = parse(text)
    assert parsed is not None
    assert (parsed.kind, parsed.lookup_id) == (kind, lookup_id)
    assert len(text) == len("svc_sk_") + 12 + 1 + 32 + 6


@given(LETTERS, SECRETS, st.integers(0, 57), st.sampled_from(BASE62))
def test_parse__one_character_mistyped__is_no_key(lookup_id: str, secret: str, place: int, other: str) -> None:
    text = compose("shop", lookup_id, secret)
    mistyped = text[:place] + other + text[place + 1 :]
    assert (parse(mistyped) is None) == (mistyped != text)


@given(st.text(max_size=80) | st.text("svc_k01Az", max_size=60).map(lambda text: f"svc_sk_{text}"))
def test_parse__any_text__is_no_key(text: str) -> None:
    assert parse(text) is None


def test_presets__grow_from_one_to_the_next() -> None:
    sizes = [PRESETS[name] for name in ("read_only", "editor", "launcher", "admin")]
    assert all(smaller < larger for smaller, larger in pairwise(sizes))
    assert "keys:read" not in PRESETS["launcher"]
    assert PRESETS["admin"] == set(SCOPES)


@pytest.mark.parametrize(
    ("granted", "implied"),
    [
        (["experiments:write"], {"experiments:read"}),
        (["experiments:launch"], set()),
        (["approvals:write"], set()),
        (["previews:write"], set()),
        (["keys:write"], {"keys:read"}),
    ],
)
def test_with_implied__write__implies_the_read_that_exists_and_nothing_else(
    granted: list[str], implied: set[str]
) -> None:
    assert with_implied(granted) == set(granted) | implied


def test_stored_key__there_and_back__is_the_same_and_never_the_secret() -> None:
    text = compose("tracking_source", "A" * 12, "b" * 32)
    moment = "2026-03-02T09:00:00.000Z"
    key = ApiKey(
        id="0192e4a0-0000-7000-8000-000000000000",
        shop_id="s",
        kind="tracking_source",
        lookup_id="A" * 12,
        sha256=digest(text),
        last_four=text[-4:],
        name="K",
        user_id="u",
        scopes=("shop:read",),
        created_at=moment,
        created_by="u",
        updated_at=moment,
        version=3,
    )
    stored = canonical_json.dumps(to_document(key))
    assert from_document(canonical_json.loads(stored), 3) == key
    assert text not in stored


@pytest.mark.parametrize(("now", "alive"), [("2026-01-01T00:00:00.000Z", True), ("2026-01-02T00:00:00.000Z", False)])
def test_is_live__at_the_moment_of_expiry__is_dead(now: str, alive: bool) -> None:
    key = ApiKey(
        id="i",
        shop_id="s",
        kind="shop",
        lookup_id="l",
        sha256="",
        last_four="",
        name="K",
        user_id="u",
        scopes=(),
        created_at=now,
        created_by="u",
        updated_at=now,
        expires_at="2026-01-02T00:00:00.000Z",
    )
    assert key.is_live(now) is alive
