"""What runtime settings refuse, and what storefronts are told of them."""

from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.settings import consent, environments, external_tracking, install_domains
from abtest.domain.settings.consent_providers import PROVIDERS
from abtest.domain.settings.environments import Environment, Environments
from abtest.domain.settings.runtime import CONSENT, ENVIRONMENTS, PUBLICATION, RuntimeSettings, settings_from
from abtest.kit.documents import encode
from abtest.kit.errors import ValidationFailedError


def environment(key: str, **fields: Any) -> Environment:
    given = {"key": key, "name": key, "is_default": False, "sub_snippet_enabled": True}
    return Environment(**{**given, **fields})


LIVE = environment("live", is_default=True, domains=("shop.example",))
STAGING = environment("staging", domains=("stage.shop.example",))


@pytest.mark.parametrize(
    ("items", "active_key", "paths"),
    [
        ([LIVE, STAGING], "staging", []),
        ([LIVE], "other", ["environments.activeKey"]),
        ([replace(LIVE, is_default=False)], "live", ["environments.items"]),
        ([LIVE, replace(STAGING, is_default=True)], "live", ["environments.items"]),
        ([LIVE, environment("live")], "live", ["environments.items[1].key"]),
        ([LIVE, replace(STAGING, domains=("shop.example",))], "live", ["environments.items[1].domains[0]"]),
        ([replace(LIVE, domains=("a.example", "a.example"))], "live", ["environments.items[0].domains[1]"]),
        (
            [environment("live", domains=("a.example",)), environment("live", domains=("a.example",))],
            "x",
            [
                "environments.items[1].key",
                "environments.items[1].domains[0]",
                "environments.items",
                "environments.activeKey",
            ],
        ),
    ],
)
def test_environments__that_contradict_each_other__are_refused_all_at_once(
    items: list[Environment], active_key: str, paths: list[str]
) -> None:
    given = Environments(active_key=active_key, items=tuple(items))
    assert refused(lambda: environments.refuse_contradictions(given)) == paths


def test_environments__with_sub_snippets__are_those_with_hosts_and_a_snippet() -> None:
    others = [STAGING, environment("bare"), replace(STAGING, key="off", sub_snippet_enabled=False)]
    given = Environments(active_key="live", items=(LIVE, *others))
    assert given.with_sub_snippets() == [{"key": "staging", "domains": ["stage.shop.example"]}]


def test_environments__stored_and_read__are_the_same() -> None:
    given = Environments(active_key="live", items=(LIVE, STAGING))
    document = encode(given)
    assert environments.from_document({**document, "of a later release": 1}) == given


@pytest.mark.parametrize("name", sorted(external_tracking.RESERVED_PARAMS))
def test_external_tracking__parameter_that_means_something_else__is_refused(name: str) -> None:
    changes = {"handover_query_param": name}
    paths = refused(lambda: external_tracking.merged(external_tracking.UNTOUCHED, changes))
    assert paths == ["externalTracking.handoverQueryParam"]


def test_external_tracking__domain_named_twice__is_refused() -> None:
    changes = {"domains": ("a.example", "b.example", "a.example")}
    paths = refused(lambda: external_tracking.merged(external_tracking.UNTOUCHED, changes))
    assert paths == ["externalTracking.domains[2]"]


def test_handover__without_domains__is_absent() -> None:
    assert external_tracking.handover(external_tracking.UNTOUCHED, "https://edge.example/_svc/handover") is None


def test_handover__with_domains__says_all_that_storefronts_need() -> None:
    setting = external_tracking.merged(external_tracking.UNTOUCHED, {"domains": ("pay.example",)})
    assert external_tracking.handover(setting, "https://edge.example/_svc/handover") == {
        "param": "svc_handover",
        "domains": ["pay.example"],
        "ttl": 120,
        "timeout": 300,
        "signed": True,
        "url": "https://edge.example/_svc/handover",
    }
    assert external_tracking.from_document(encode(setting)) == setting


@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({"enabled": True}, ["consentMode.getter"]),
        ({"enabled": True, "getter": "a b"}, ["consentMode.getter"]),
        ({"enabled": True, "getter": "a.__proto__"}, ["consentMode.getter"]),
        ({"getter": "alert(1)"}, ["consentMode.getter"]),
        ({"enabled": True, "getter": "window.shop.consent"}, []),
        ({"enabled": True, "provider": "provider_c", "getter": "a b"}, []),
        ({"enabled": False}, []),
    ],
)
def test_consent__getter_that_is_none__is_refused_where_it_counts(changes: Any, paths: list[str]) -> None:
    assert refused(lambda: consent.merged(consent.UNTOUCHED, changes)) == paths


def test_consent__disabled__asks_for_nothing() -> None:
    assert consent.compiled(consent.UNTOUCHED) is None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_consent__of_each_provider__has_a_reader_and_the_group_that_is_asked_for(provider: str) -> None:
    mode = consent.merged(consent.UNTOUCHED, {"enabled": True, "provider": provider, "getter": "shop.consent"})
    reader = mode.reader
    assert reader is not None
    usual = {"group": reader.default_group} if reader.default_group else {}
    assert consent.compiled(mode) == {"read": reader.read, "events": list(reader.events)} | usual
    named = consent.compiled(replace(mode, required_group="mine"))
    assert named is not None
    assert named["group"] == "mine"
    assert consent.from_document(encode(mode)) == mode


def test_install_domains__with_a_host_twice__are_refused_with_its_place() -> None:
    given = install_domains.InstallDomains(domain="a.example", additional=("b.example", "a.example", "b.example"))
    assert refused(lambda: install_domains.refuse_doubles(given)) == ["additionalDomains[1]", "additionalDomains[2]"]


def test_settings__of_which_nothing_is_stored__are_untouched() -> None:
    assert settings_from({}) == RuntimeSettings()


def test_settings__that_are_stored__replace_what_is_untouched() -> None:
    given = Environments(active_key="live", items=(LIVE,))
    stored: Any = {ENVIRONMENTS: encode(given), PUBLICATION: {"webhooks_from": 7}}
    assert settings_from(stored) == RuntimeSettings(environments=given, webhooks_from=7)


def test_settings__consent_that_cannot_be_read__is_an_error_and_not_no_consent() -> None:
    read = settings_from({CONSENT: {**encode(consent.UNTOUCHED), "enabled": True, "provider": "of a later release"}})
    with pytest.raises(ValueError, match="no consent provider"):
        consent.compiled(read.consent)


def refused(attempt: Any) -> list[str]:
    try:
        attempt()
    except ValidationFailedError as error:
        return [field.path for field in error.fields]
    return []


def test_cookie_domains__of_a_shop_that_claimed_no_host__are_none() -> None:
    assert settings_from({}).cookie_domains("shop.example") == []


def test_cookie_domains__of_claimed_hosts__are_those_that_can_have_sub_domains() -> None:
    further = ["www.shop.example", "shop.example.org", "localhost", "127.0.0.1"]
    settings = settings_from({"SET#INSTALL_DOMAINS": {"additional": further, "held": []}})
    assert settings.cookie_domains("shop.example") == ["shop.example", "shop.example.org"]


def test_cookie_domains__of_hosts_below_each_other__are_the_uppermost() -> None:
    settings = settings_from({"SET#INSTALL_DOMAINS": {"additional": ["shop.example", "fr.shop.example"], "held": []}})
    assert settings.cookie_domains("de.shop.example") == ["shop.example"]
    assert settings.cookie_domains("myshop.example") == ["myshop.example", "shop.example"]
