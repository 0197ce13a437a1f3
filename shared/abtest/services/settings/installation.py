"""Installation of the snippet: the tags, and the check of a page that should carry it."""

import re
from dataclasses import dataclass

from abtest.contract import installation as contract
from abtest.domain.egress.targets import PublicOnly, UrlNotAllowedError
from abtest.domain.install.page import read_page
from abtest.domain.install.tags import install_tags
from abtest.domain.install.verdict import Expected, Verdict, judge
from abtest.kit.errors import FieldError
from abtest.ports.http_sender import Failure, HttpAnswer, HttpSender, HttpUnreachableError
from abtest.services.context import Caller
from abtest.services.last_seen import LastSeen
from abtest.services.settings.environments import EnvironmentSettings
from abtest.services.settings.install_domains import SETTING as INSTALL_DOMAINS
from abtest.services.settings.store import Setting, SettingsStore
from abtest.services.shop_records import read_shop

SETTING = Setting(record_id="SET#INSTALL", verb="verify_install", untouched={"verified_at": None})
MAX_REDIRECTS = 3
HEADERS = {
    "User-Agent": "Mozilla/5.0 (compatible; abtest-install-check/1.0)",
    "Accept": "text/html,application/xhtml+xml",
}

_UNREACHABLE: dict[Failure, str] = {
    "dns": "The host's name does not resolve: correct the address, or wait until its DNS records are known.",
    "connect": "Nothing answers at the address: open its port (443 for https) to the public.",
    "tls": "The page's certificate is not valid for its host: renew or correct it.",
    "timeout": "The page did not answer in full within ten seconds: try again, or look into what makes it slow.",
    "protocol": "The response is not valid HTTP: check the server, or the proxy in front of it.",
    "redirects": f"The address redirects more than {MAX_REDIRECTS} times: give the address that it leads to.",
}
_HTML = frozenset({"", "text/html", "application/xhtml+xml"})
_PROTECTED = frozenset({401, 403, 429, 503})
_CHARSET = re.compile(
    r"(us-)?ascii|latin-?1|iso-8859-\d{1,2}|windows-\d{3,4}|utf-16(be|le)?|koi8-[ru]|macintosh|ibm866|gb2312|gbk|gb18030"
    r"|big5|euc-jp|euc-kr|shift_jis|iso-2022-jp"
)
"""Encodings of web pages. Python knows more of them, and some take minutes for a megabyte (punycode)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """Sender that fetches pages of shops, and the rules that it obeys."""

    sender: HttpSender
    rules: PublicOnly


class Installations:
    """Use cases of the installation."""

    def __init__(self, store: SettingsStore, pages: Pages, seen: LastSeen, worker_base_url: str) -> None:
        self._store = store
        self._pages = pages
        self._seen = seen
        self._worker_base_url = worker_base_url

    def get(self, caller: Caller) -> contract.Installation:
        """Return the shop's tags, when they were last verified, and when events last arrived."""
        tags = install_tags(self._worker_base_url, caller.shop_id)
        return contract.Installation(
            tags=[contract.InstallTag(name=name, when=when, html=html) for name, when, html in tags.recommended()],
            snippet_tag=tags.snippet,
            preconnect_tag=tags.preconnect,
            async_tag=tags.asynchronous,
            bounded_tag=tags.bounded,
            shop_id=caller.shop_id,
            verified_at=self._store.read(caller.shop_id, SETTING).document["verified_at"],
            last_seen_at=self._seen.of(caller.shop_id, self._store.world.now()),
        )

    def verify(self, caller: Caller, url: str) -> contract.InstallVerification:
        """Check a page of the shop, and store when the snippet was seen working. Raises UrlNotAllowedError."""
        verdict = self._verdict(caller.shop_id, url)
        if verdict.works:
            seen = {
                "verified_at": self._store.world.now(),
                # Without query and fragment: pages that are not public yet carry their passwords there.
                "url": url.partition("#")[0].partition("?")[0],
                "surface": verdict.surface,
                "tag": verdict.tag,
                "async": verdict.is_async,
            }
            # The newest verification replaces any other, so its check of the stored one is empty.
            self._store.change(caller, SETTING, lambda _: seen, lambda _: None, publishes=False)
        return contract.InstallVerification(
            found=verdict.is_found,
            surface=verdict.surface,
            tag=verdict.tag,
            errors=list(verdict.errors),
            **{"async": verdict.is_async},
        )

    def _verdict(self, shop_id: str, url: str) -> Verdict:
        environments = EnvironmentSettings(self._store).value(shop_id)
        own = read_shop(self._store.world.catalog, shop_id).domain
        additional = self._store.read(shop_id, INSTALL_DOMAINS).document["additional"]
        # The snippet may be on the shop's domains, on those of its environments, and on their subdomains.
        hosts = frozenset({own, *additional, *(host for item in environments.items for host in item.domains)})
        try:
            target = self._pages.rules.target(url)
            if not (target.is_local or is_of(target.host, hosts)):
                raise UrlNotAllowedError(f"{target.host} is not one of the shop's install domains; add it there first")
            answer = self._pages.sender.get(url, headers=HEADERS, redirects=MAX_REDIRECTS)
        except UrlNotAllowedError as error:
            raise UrlNotAllowedError(error.message, fields=[FieldError("url", error.message)]) from error
        except HttpUnreachableError as error:
            return Verdict(errors=(_UNREACHABLE[error.failure],))
        if problem := self._problem(answer, hosts):
            return Verdict(errors=(problem,))
        page = read_page(as_unicode(answer), answer.url)
        expected = Expected(shop_id=shop_id, worker_base_url=self._worker_base_url, environments=environments.keys)
        return judge(page, answer.headers.get("content-security-policy", ""), expected)

    def _problem(self, answer: HttpAnswer, hosts: frozenset[str]) -> str | None:
        """Return why the response is not a page of the shop, if so."""
        target = self._pages.rules.target(answer.url)
        # Checked again after redirects: a page of the shop may lead to a host that has nothing to do with it.
        if not (target.is_local or is_of(target.host, hosts)):
            return f"The address redirects to {target.host}, which is not one of the shop's install domains."
        # Statuses of bot protection and of passwords: the page exists, so the advice is to let the check in.
        if answer.status in _PROTECTED:
            return (
                f"The page answers {answer.status}: let requests with the user agent abtest-install-check through, or "
                "take off its password."
            )
        if not 200 <= answer.status < 300:
            return f"The page answers {answer.status}: give the address of a page that is there."
        kind = answer.content_type.partition(";")[0].strip().lower()
        if kind not in _HTML:
            return f"The address gives {kind[:60]}, not HTML: give the address of a page."
        if not answer.is_whole:
            return f"The page is larger than {len(answer.body) >> 20} MiB: give the address of a smaller one."
        return None


def is_of(host: str, hosts: frozenset[str]) -> bool:
    """Return whether a host is one of these, or a subdomain of one."""
    return any(host == own or host.endswith(f".{own}") for own in hosts)


def as_unicode(answer: HttpAnswer) -> bytes:
    """Return the body in UTF-8 where the header names another encoding. The page itself may name one, too."""
    _, _, named = answer.content_type.lower().partition("charset=")
    charset = named.partition(";")[0].strip(" \"'")
    try:
        # The pattern also admits numbers that no encoding has, such as iso-8859-99. The bytes are then judged as they
        # are.
        return answer.body.decode(charset, "replace").encode() if _CHARSET.fullmatch(charset) else answer.body
    except (LookupError, ValueError):
        return answer.body
