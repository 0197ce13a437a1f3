"""Thirty planted defects in the browser of QA runs: how many are reported, next to axe-core alone."""

from time import perf_counter

from abtest.adapters.browser import ChromiumBrowsers
from abtest.domain.egress.targets import PublicOnly
from abtest.domain.pages.routes import PAGE_CONTENT_TYPE
from abtest.domain.qa.facts import Look, Page
from abtest.domain.qa.findings import findings
from abtest.ports.browser import Browser, Fixed
from abtest.services.pages.looks import look_at
from tests.support.landing import ASSETS, EDGE, SITE, png
from tests.support.landing_defects import BANNED, DEFECTS, Defect

PAGE = Page(SITE.canonical_address, EDGE, ASSETS, (BANNED,), is_strict=True)
_ICON = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M1 1h8v8z"/></svg>'


def report() -> None:
    """Print how many defects our checks report at their element, and how many axe-core reports at all."""
    begin, ours, axe = perf_counter(), 0, 0
    with ChromiumBrowsers(rules=PublicOnly()).open() as browser:
        for defect in DEFECTS:
            look = _look(browser, defect)
            due = {(each["check"], each["selector"]) for each in findings([look], PAGE)}
            ours += (defect.check, defect.selector) in due
            axe += bool(look.facts["barriers"])
    seconds = (perf_counter() - begin) / len(DEFECTS)
    print(f"planted defects: {ours} of {len(DEFECTS)} reported; axe-core alone: {axe}; {seconds:.2f} s a page")


def _look(browser: Browser, defect: Defect) -> Look:
    def answers(url: str) -> Fixed:
        for part, (status, content_type, body) in defect.answers.items():
            if part in url:
                return Fixed(status, {"content-type": content_type, "timing-allow-origin": "*"}, body)
        if url == SITE.canonical_address:
            headers = {"content-type": PAGE_CONTENT_TYPE, "content-security-policy": defect.policy}
            return Fixed(200, headers, defect.html)
        if url.startswith(EDGE):
            return Fixed(200, {"content-type": "text/javascript"}, b"")
        if url.endswith(".svg"):
            return Fixed(200, {"content-type": "image/svg+xml"}, _ICON)
        return Fixed(200, {"content-type": "image/png"}, png(96, 72))

    with browser.visit(SITE.canonical_address, defect.viewport, answers=answers) as visit:
        return look_at(visit, defect.viewport, at_all_widths=defect.check in ("layout", "controls"))


if __name__ == "__main__":
    report()
