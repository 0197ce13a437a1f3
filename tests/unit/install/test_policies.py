"""What content security policies let the snippet do."""

from base64 import b64encode
from hashlib import sha256

import pytest

from abtest.domain.install.policies import policies_in

PAGE = "https://shop.example/a"
SNIPPET = "https://edge.example/s/1.js"

ALLOWING = [
    *("default-src *", "script-src https:", "script-src http:", "script-src https://edge.example", "img-src 'none'"),
    *("script-src edge.example", "script-src *.example", "script-src edge.example:443", "script-src edge.example:*"),
    *(
        "script-src https://edge.example/s/",
        "script-src https://edge.example/s/1.js",
        "SCRIPT-SRC https://EDGE.example",
    ),
    *("default-src 'none'; script-src https:", "script-src 'none'; script-src-elem https:", "script-src 'nonce-n1'"),
    *(
        "script-src 'strict-dynamic' 'nonce-n1'",
        "script-src https:; script-src 'none'",
        "sandbox allow-scripts",
        "  ;; ",
    ),
    *("script-src http://edge.example", "script-src 'self' https://a.example https://edge.example"),
]
BLOCKING = [
    *("default-src 'none'", "script-src 'self'", "script-src 'none'", "script-src", "script-src data:", "sandbox"),
    *(
        "script-src https://other.example",
        "script-src *.edge.example",
        "script-src edge.example:8443",
        "script-src wss:",
    ),
    *("script-src https://edge.example/other/", "script-src https://edge.example/s", "script-src 'unsafe-inline'"),
    *(
        "script-src 'nonce-n2'",
        "script-src 'strict-dynamic' https://edge.example",
        "script-src https:; script-src-elem 'self'",
    ),
    *("script-src 'self', script-src https:", "script-src edge.example.evil", "default-src 'self'; img-src *"),
]


def _allowed(text: str) -> bool:
    return all(policy.allows_script(SNIPPET, PAGE, "n1") for policy in policies_in(text))


@pytest.mark.parametrize("policy", ALLOWING)
def test_policy__that_names_the_snippet_in_any_way__allows_it(policy: str) -> None:
    assert _allowed(policy)


@pytest.mark.parametrize("policy", BLOCKING)
def test_policy__that_does_not__blocks_it(policy: str) -> None:
    assert not _allowed(policy)


@pytest.mark.parametrize(
    ("policy", "allowed"),
    [
        ("connect-src 'self'", False),
        ("default-src 'self'", False),
        ("script-src 'self'", True),
        ("connect-src https:", True),
    ],
)
def test_policy__of_connections__decides_about_events(policy: str, allowed: bool) -> None:
    assert all(p.allows_connection("https://edge.example/events", PAGE) for p in policies_in(policy)) is allowed


def test_policy__self__is_the_pages_own_origin() -> None:
    (policy,) = policies_in("script-src 'self'")
    assert policy.allows_script("https://shop.example/s/1.js", PAGE, "")
    assert not policy.allows_script("http://shop.example/s/1.js", PAGE, "")


TEXT = "show(1000)"
HASHED = f"'sha256-{b64encode(sha256(TEXT.encode()).digest()).decode()}'"


@pytest.mark.parametrize(
    ("policy", "allowed"),
    [
        ("img-src 'none'", True),
        ("script-src 'unsafe-inline'", True),
        ("default-src 'UNSAFE-INLINE'", True),
        ("script-src 'nonce-n1'", True),
        ("script-src 'strict-dynamic' 'nonce-n1'", True),
        (f"script-src {HASHED}", True),
        ("sandbox; script-src 'unsafe-inline'", False),
        ("script-src 'nonce-n2'", False),
        ("script-src 'unsafe-inline' 'nonce-n2'", False),
        (f"script-src 'unsafe-inline' {HASHED.replace('sha256', 'sha384')}", False),
        ("script-src 'unsafe-inline' 'strict-dynamic'", False),
        ("script-src https: 'self'", False),
        ("script-src 'unsafe-inline'; script-src-elem 'self'", False),
    ],
)
def test_policy__of_scripts_in_the_page_itself__asks_for_nonce_hash_or_all_of_them(policy: str, allowed: bool) -> None:
    (found,) = policies_in(policy)
    assert found.allows_inline(TEXT, "n1") is allowed
    assert not found.allows_inline(TEXT, "") or "nonce-n1" not in policy
