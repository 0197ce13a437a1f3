"""Readers of consent providers: which there are, what a getter may be, the rules in plain words."""

import pytest

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.settings.consent_providers import (
    CUSTOM,
    MAX_GETTER_CHARS,
    PROVIDERS,
    InvalidGetterError,
    UnknownConsentProviderError,
    getter_parts,
    reader_of,
)


def test_providers__are_those_of_the_contract() -> None:
    assert (CUSTOM, *(f"provider_{letter}" for letter in "abcdefg")) == PROVIDERS


@pytest.mark.parametrize("provider", PROVIDERS)
def test_reader__parses_and_says_its_rules(provider: str) -> None:
    reader = reader_of(provider, "shop.consent")
    assert QuickJsChecker().check(reader.read) is None
    assert "DOMContentLoaded" in reader.events
    for rule in (reader.show_variations_rule("my group"), reader.start_tracking_rule("my group")):
        assert "“my group”" in rule
        assert "{" not in rule
    assert "{" not in reader.show_variations_rule("")
    assert "to  " not in reader.show_variations_rule("")


def test_group__is_the_required_one_or_the_providers() -> None:
    assert reader_of("provider_a").group("") == "C0002"
    assert reader_of("provider_a").group("C0004") == "C0004"
    assert reader_of(CUSTOM, "a").group("") == ""


@pytest.mark.parametrize("provider", ["", "provider_h", "Custom", "a"])
def test_provider__unknown__is_refused(provider: str) -> None:
    with pytest.raises(UnknownConsentProviderError):
        reader_of(provider, "a")


@pytest.mark.parametrize(
    ("getter", "parts"),
    [
        ("a", ("a",)),
        ("window.a.b", ("a", "b")),
        ("$_.A1._b", ("$_", "A1", "_b")),
        (".".join("a" * 10), tuple("a" * 10)),
        ("a" * MAX_GETTER_CHARS, ("a" * MAX_GETTER_CHARS,)),
    ],
)
def test_getter__of_identifiers__is_taken(getter: str, parts: tuple[str, ...]) -> None:
    assert getter_parts(getter) == parts


@pytest.mark.parametrize(
    "getter",
    [
        "", ".", "a.", ".a", "a..b", "1a", "a b", "a()", "a[0]", "a;b", "a-b", "é", "a\n", "a.b\u2028", '"',
        "</script>", "window.", "__proto__", "a.constructor", "a.prototype.b", "a=1", "a/*", "".join("a." * 10) + "a",
        "a" * (MAX_GETTER_CHARS + 1),
    ],
)  # fmt: skip
def test_getter__of_anything_else__is_refused(getter: str) -> None:
    with pytest.raises(InvalidGetterError):
        reader_of(CUSTOM, getter)
