"""Every consent provider's reader, with a stand-in of its API: silent, denied, granted, withdrawn, answered before."""

import pytest
from playwright.sync_api import Page

from abtest.domain.settings.consent_providers import PROVIDERS, reader_of
from tests.browser.sdk.configs import experiment
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

STAND_INS = {
    "provider_a": """
      window.OnetrustActiveGroups = ',C0001,'; let closed = false;
      window.OneTrust = { IsAlertBoxClosed: () => closed };
      answer = (yes) => { closed = true; OnetrustActiveGroups = yes ? ',C0001,C0002,C0003,' : ',C0001,';
        dispatchEvent(new CustomEvent('OneTrustGroupsUpdated', { detail: OnetrustActiveGroups.split(',') })); };""",
    "provider_b": """
      window.Cookiebot = { hasResponse: false, consent: { necessary: true, statistics: false, marketing: false } };
      answer = (yes) => { Cookiebot.hasResponse = true; Cookiebot.consent.statistics = yes;
        dispatchEvent(new Event(yes ? 'CookiebotOnAccept' : 'CookiebotOnDecline')); };""",
    "provider_c": """
      let given = false, type = 'IMPLICIT';
      window.__ucCmp = { getConsentDetails: () => Promise.resolve({
        consent: { required: true, type }, categories: {},
        services: { a1: { name: 'Fonts', category: 'essential', consent: { given: true } },
                    b2: { name: 'Ads', category: 'marketing', consent: { given } } } }) };
      answer = (yes) => { given = yes; type = 'EXPLICIT'; dispatchEvent(new CustomEvent('UC_CONSENT')); };""",
    "provider_d": """
      let known = false, enabled = false, listeners = [];
      const api = { isConsentRequired: () => true, shouldUserStatusBeCollected: () => !known,
        getCurrentUserStatus: () => ({ purposes: { cookies: { id: 'cookies', enabled } }, vendors: {} }),
        on: (name, fn) => listeners.push([name, fn]) };
      setTimeout(() => { window.Didomi = api; for (const fn of window.didomiOnReady || []) fn(api); }, 50);
      answer = (yes) => { known = true; enabled = yes;
        for (const [name, fn] of listeners) if (name === 'consent.changed') fn({}); };""",
    "provider_e": """
      let status = 'cmpuishown', consents = {}, next = 0; const listeners = [];
      window.__tcfapi = (command, version, fn) => { if (command !== 'addEventListener' || version !== 2) return;
        listeners.push(fn); tell(fn); };
      const tell = (fn) => fn({ eventStatus: status, gdprApplies: true, listenerId: 1, purpose: { consents } }, true);
      answer = (yes) => { status = 'useractioncomplete'; consents = yes ? { 1: true, 8: true } : { 1: false };
        listeners.forEach(tell); };""",
    "provider_f": """
      window.dataLayer = [];
      function gtag() { dataLayer.push(arguments); }
      gtag('consent', 'default', { ad_storage: 'denied', analytics_storage: 'denied' });
      answer = (yes) => gtag('consent', 'update', { analytics_storage: yes ? 'granted' : 'denied' });""",
    "provider_g": """
      let said = '';
      window.Shopify = { loadFeatures([feature], done) { if (feature.name !== 'consent-tracking-api') return;
        setTimeout(() => { Shopify.customerPrivacy = { analyticsProcessingAllowed: () => said === 'yes',
          currentVisitorConsent: () => ({ analytics: said, marketing: '' }) }; done(null); }, 50); } };
      answer = (yes) => { said = yes ? 'yes' : 'no'; document.dispatchEvent(new CustomEvent('visitorConsentCollected',
        { detail: { analyticsAllowed: yes } })); };""",
    "custom": """
      window.shopConsent = { groups: undefined, get() { return this.groups; } };
      answer = (yes) => { shopConsent.groups = yes ? ['basic', 'tests'] : ['basic']; };""",
}
STARTED, WAITING = "svc.visitorId() !== ''", "svc.visitorId() === ''"
SEEN = "document.querySelector('h1').textContent"


def page_with(shop: Shop, provider: str, group: str = "") -> None:
    """The provider's stand-in before the snippet; `?yes` and `?no` are visitors who have answered before."""
    reader = reader_of(provider, "shopConsent.get")
    asked = reader.group(group)
    consent = {"read": shop.script(reader.read), "events": list(reader.events), **({"group": asked} if asked else {})}
    shop.runtime["consent"] = consent
    shop.experiments = [experiment({"mutations": [{"selector": "h1", "action": "text", "text": "New"}]})]
    before = "if (location.search) answer(location.search === '?yes');"
    shop.page("/", html("<h1>Old</h1>", f"<script>let answer;{{{STAND_INS[provider]}{before}}}</script>"))


@pytest.fixture(params=PROVIDERS)
def provider(shop: Shop, request: pytest.FixtureRequest) -> str:
    page_with(shop, request.param, "tests" if request.param == "custom" else "")
    return str(request.param)


def settle(page: Page) -> None:
    """Until whatever the provider said has been asked for again."""
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 400))")


def test_answer__denied_then_granted_then_withdrawn__is_followed(shop: Shop, open_page: Open, provider: str) -> None:
    page = open_page()
    settle(page)
    assert page.evaluate(WAITING), "nobody has answered"
    page.evaluate("answer(false)")
    settle(page)
    assert page.evaluate(WAITING)
    assert page.evaluate(SEEN) == "Old"
    page.evaluate("answer(true)")
    page.wait_for_function(STARTED)
    page.wait_for_function(f"{SEEN} === 'New'")
    page.evaluate("answer(false)")
    page.wait_for_function(WAITING)
    page.wait_for_function(f"{SEEN} === 'Old'")
    assert page.context.cookies() == []


def test_answer__given_on_an_earlier_page__holds_from_the_start(shop: Shop, open_page: Open, provider: str) -> None:
    page = open_page("/?yes")
    page.wait_for_function(STARTED)
    shop.wait_events("experiment_viewed")
    denied = open_page("/?no")
    settle(denied)
    assert denied.evaluate(WAITING)
    assert denied.context.cookies() == [], "what an earlier consent left is gone"


@pytest.mark.parametrize(
    ("value", "group", "starts"),
    [
        ("true", "", True),
        ("1", "", True),
        ("'granted'", "", True),
        ("{}", "", True),
        ("() => true", "", True),
        ("(group) => group === 'tests'", "tests", True),
        ("'basic,tests'", "tests", True),
        ("{ tests: true }", "tests", True),
        ("{ tests: 'granted' }", "tests", True),
        ("new Set()", "tests", False),
        ("'denied'", "", False),
        ("0", "", False),
        ("null", "", False),
        ("'mytests'", "tests", False),
        ("{ tests: 'denied' }", "tests", False),
        ("{}", "toString", False),
        ("['basic']", "tests", False),
        ("Promise.resolve(false)", "", False),
        ("() => { throw new Error('broken') }", "", False),
    ],
)
def test_custom_getter__by_what_it_gives(shop: Shop, open_page: Open, value: str, group: str, starts: bool) -> None:
    reader = reader_of("custom", "window.mine.consent")
    shop.runtime["consent"] = {"read": shop.script(reader.read), "events": list(reader.events), "group": group}
    shop.page("/", html("", f"<script>window.mine = {{ consent: {value} }}</script>"))
    page = open_page()
    assert page.evaluate(STARTED) is starts


def test_usercentrics_of_the_second_version__is_asked_at_once(shop: Shop, open_page: Open) -> None:
    page_with(shop, "provider_c")
    stand_in = """let given = false, open = true;
      window.UC_UI = { isInitialized: () => true, isConsentRequired: () => open, getServicesBaseInfo: () => [
        { id: 'a', name: 'Ads', categorySlug: 'marketing', consent: { status: given } },
        { id: 'b', name: 'Fonts', categorySlug: 'essential', consent: { status: true } }] };
      answer = (yes) => { given = yes; open = false; dispatchEvent(new CustomEvent('UC_UI_CMP_EVENT')); };"""
    shop.page("/", html("", f"<script>let answer;{{{stand_in}}}</script>"))
    page = open_page()
    assert page.evaluate(WAITING)
    page.evaluate("answer(true)")
    assert page.evaluate(STARTED)
    page.evaluate("answer(false)")
    assert page.evaluate(WAITING)


def test_consent_mode__by_default_and_by_region(shop: Shop, open_page: Open) -> None:
    page_with(shop, "provider_f")
    for default, starts in (
        ("{analytics_storage: 'granted'}", True),
        ("{analytics_storage: 'granted', region: ['US']}", False),
        (
            "{analytics_storage: 'granted'}); gtag('consent', 'default', {analytics_storage: 'denied', region: ['DE']}",
            False,
        ),
    ):
        said = "window.dataLayer = []; function gtag() { dataLayer.push(arguments) }"
        said += f" gtag('consent', 'default', {default});"
        shop.page("/", html("", f"<script>{said}</script>"))
        assert open_page().evaluate(STARTED) is starts
