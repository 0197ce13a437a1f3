"""Requests of previewed pages on their way to the shop, and its responses on their way back."""

from dataclasses import dataclass

from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.preview.addresses import PreviewSite, WebAddress
from abtest.domain.preview.css import rewrite_stylesheet
from abtest.domain.preview.headers import request_headers, response_headers
from abtest.domain.preview.html import rewrite_html
from abtest.domain.preview.progress import SessionState
from abtest.edge.gateway import Headers
from abtest.kit.clock import Clock
from abtest.kit.errors import ServiceError
from abtest.ports.http_sender import HttpAnswer, HttpForwarder, HttpUnreachableError

MAX_ANSWER_BYTES = 4_400_000
"""Bytes of a body that fit into a response of Lambda, which has 6 MB of Base64."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class PreviewHostNotAllowedError(ServiceError):
    """Address that the session may not show."""

    status = 403
    code = "preview_host_not_allowed"


class PreviewUpstreamError(ServiceError):
    """Shop that did not respond."""

    status = 502
    code = "preview_upstream_failed"


class PreviewTimeoutError(ServiceError):
    """Shop that did not respond in time."""

    status = 504
    code = "preview_upstream_timeout"


class PreviewTooLargeError(ServiceError):
    """Page that is larger than a preview can show."""

    status = 502
    code = "preview_too_large"

    def __init__(self) -> None:
        super().__init__("the response is larger than 5 MiB, or than 4.4 MB with the addresses of the preview in it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Request to the shop: its method, target, headers of the browser in lower case, and body."""

    method: str
    target: WebAddress
    headers: Headers
    body: bytes | None
    is_script: bool
    """True for the address form of scripts, which redirects keep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Response as the browser gets it. `document_status` is the shop's status of a page, None for other contents."""

    status: int
    headers: Headers
    body: bytes
    document_status: int | None


@dataclass(frozen=True, slots=True)
class Upstream:
    """Sender to the shops of sessions."""

    client: HttpForwarder
    clock: Clock

    def answer(self, exchange: Exchange, site: PreviewSite, state: SessionState) -> HttpAnswer:
        """Send a request with the cookies of the session, and return the shop's response.

        Raises PreviewHostNotAllowedError, PreviewUpstreamError, PreviewTimeoutError, PreviewTooLargeError.
        """
        url = exchange.target._replace(fragment="").href
        cookie = state.jar.cookie_header(url, self.clock.now())
        headers = request_headers(exchange.headers, site=site, target_url=url, jar_cookie=cookie)
        try:
            answer = self.client.forward(exchange.method, url, exchange.body, headers=headers)
        except UrlNotAllowedError as error:
            raise PreviewHostNotAllowedError(f"the address cannot be shown: {error.message}") from error
        except HttpUnreachableError as error:
            if error.failure == "timeout":
                raise PreviewTimeoutError(
                    f"the shop at {exchange.target.host} did not respond in time: {error}"
                ) from error
            raise PreviewUpstreamError(f"the shop at {exchange.target.host} did not respond: {error}") from error
        if not answer.is_whole:
            raise PreviewTooLargeError
        return answer

    def shown(self, exchange: Exchange, answer: HttpAnswer, site: PreviewSite, state: SessionState) -> Shown:
        """Return the shop's response as the browser gets it. Raises PreviewTooLargeError."""
        url = exchange.target._replace(fragment="").href
        headers = dict(
            response_headers(answer.headers.items(), site=site, target_url=url, as_module=exchange.is_script)
        )
        kind = answer.content_type.partition(";")[0].strip().lower()
        is_document = kind in ("text/html", "application/xhtml+xml")
        body = answer.body
        if is_document and not exchange.is_script:
            cookie = state.jar.visible(url, self.clock.now())
            body = rewrite_html(body, answer.content_type, page_url=url, site=site, cookie=cookie)
        elif kind == "text/css":
            body = rewrite_stylesheet(body, answer.content_type, page_url=url, site=site)
        is_page = is_document and answer.status not in _REDIRECTS and exchange.headers.get("sec-fetch-dest") != "empty"
        status = answer.status
        if len(body) > MAX_ANSWER_BYTES:
            if body is not answer.body or exchange.method != "GET":
                raise PreviewTooLargeError
            status, headers, body = 307, {"location": url, "cache-control": "no-store"}, b""
        return Shown(status=status, headers=headers, body=body, document_status=answer.status if is_page else None)
