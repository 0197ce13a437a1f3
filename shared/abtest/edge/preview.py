"""Preview proxy: `/api/preview` and what is below it. Each request names its session by a signed token."""

import logging
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from abtest.domain.preview.addresses import (
    MODULES_PATH,
    PROXY_PATH,
    Requested,
    absolute,
    proxied,
    requested,
    requested_module,
)
from abtest.domain.preview.landing import page_key, read_page
from abtest.domain.preview.progress import SessionState, with_answer, with_blocked
from abtest.domain.preview.session import PreviewSession, file_key, snippet_key
from abtest.edge.gateway import (
    NO_STORE,
    Answer,
    GatewayEvent,
    MethodNotAllowedError,
    Request,
    UnsupportedBodyError,
    body_of,
    json_error,
)
from abtest.edge.preview_sessions import OpenSession, OpenSessions
from abtest.edge.preview_upstream import Exchange, PreviewHostNotAllowedError, Upstream
from abtest.edge.unknown_address import message_page
from abtest.kit import canonical_json
from abtest.kit.clock import Clock
from abtest.kit.errors import NotFoundError, ServiceError
from abtest.ports.blobs import Blobs

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
STATE_PATH = f"{PROXY_PATH}/state"
SNIPPET_PATH = f"{PROXY_PATH}/snippet"
FILES_PATH = f"{PROXY_PATH}/f/"
EDITOR_PATH = f"{PROXY_PATH}/editor"
PAGE_PATH = f"{PROXY_PATH}/page"
MAX_BODY_BYTES = 1024 * 1024
MAX_COOKIES = 50
"""Writes of cookies in one report of a page."""
MAX_STATE_BYTES = 64 * 1024
NO_EXPERIMENT = b"/* this preview shows no experiment */\n"
_SCRIPT = "application/javascript; charset=utf-8"
_SAFE = {**NO_STORE, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}
_BODILESS = ("GET", "HEAD", "OPTIONS")

_log = logging.getLogger(__name__)


class InvalidPreviewRequestError(ServiceError):
    """Request that the proxy does not understand."""

    status = 400
    code = "invalid_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewRoutes:
    """Routes of the preview. `files` has the snippets of sessions, and `editor` is a script of the visual editor."""

    sessions: OpenSessions
    upstream: Upstream
    files: Blobs
    clock: Clock
    editor: Callable[[], str]

    def answer(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """Answer a request of any route of the preview."""
        request = Request.of(event)
        try:
            if request.method not in METHODS:
                raise MethodNotAllowedError(", ".join(METHODS))
            return self._route(event, request)
        except ServiceError as error:
            return _refusal(error, request)
        except Exception:
            # Neither the query, which has the token, nor anything of the shop's page is logged.
            _log.exception("preview.failed")
            return _refusal(ServiceError("an unexpected error occurred; repeat the request"), request)

    def _route(self, event: GatewayEvent, request: Request) -> Answer:
        path, query = event["rawPath"], event.get("rawQueryString") or ""
        if path == STATE_PATH:
            return self._state(event, request, self.sessions.of(requested(query).token))
        if path == SNIPPET_PATH:
            return self._snippet(request, self.sessions.of(requested(query).token))
        if path == PAGE_PATH:
            return self._written_page(request, self.sessions.of(requested(query).token, "landing_page"))
        if path == EDITOR_PATH:
            self.sessions.of(requested(query).token)
            _refuse_writes(request)
            return _bytes(200, {**_SAFE, "Content-Type": _SCRIPT}, self.editor().encode())
        if path.startswith(FILES_PATH):
            token, _, name = path.removeprefix(FILES_PATH).partition("/")
            return self._file(request, self.sessions.of(token), name)
        if path.startswith(MODULES_PATH):
            target = requested_module(path, query)
            return self._page(event, request, self.sessions.of(_first_part(path)), target, is_script=True)
        if path != PROXY_PATH:
            raise NotFoundError("there is nothing at this address")
        target = requested(query)
        return self._page(event, request, self.sessions.of(target.token), target, is_script=False)

    def _page(
        self, event: GatewayEvent, request: Request, opened: OpenSession, target: Requested, *, is_script: bool
    ) -> Answer:
        """Answer with what the shop has at an address."""
        session, site = opened.session, opened.site
        address = absolute(target.url or "")
        if address is None:
            raise InvalidPreviewRequestError("name the page to show in url, as an absolute http(s) address")
        if address.host not in site.hosts:
            reason = f"this preview shows {', '.join(sorted(site.hosts))}, and not {address.host}"
            self.sessions.change(session, lambda state: with_blocked(state, address.href, reason))
            raise PreviewHostNotAllowedError(reason)
        if request.headers.get("service-worker") == "script":
            self.sessions.change(session, lambda state: with_blocked(state, address.href, "a service worker"))
            raise PreviewHostNotAllowedError("previews have no service workers")
        if not target.is_canonical and request.method == "GET":
            return _plain(302, {"Location": proxied(site, address.href)})
        body = None if request.method in _BODILESS else body_of(event, MAX_BODY_BYTES)
        exchange = Exchange(
            method=request.method, target=address, headers=request.headers, body=body, is_script=is_script
        )
        before = self.sessions.state(session)
        answer = self.upstream.answer(exchange, site, before)
        url, now = address._replace(fragment="").href, self.clock.now()
        # Cookies are stored before the response is sent: the browser's next request may come at once.
        with_cookies = replace(before, jar=before.jar.stored(url, answer.cookies, now))
        shown = self.upstream.shown(exchange, answer, site, with_cookies)
        if answer.cookies or shown.document_status is not None:
            self.sessions.change(
                session, lambda state: with_answer(state, url, answer.cookies, now, shown.document_status)
            )
        headers = dict(shown.headers)
        if shown.document_status is not None and not before.has_begun:
            # An earlier session may have left something behind, where sessions share an origin.
            headers["clear-site-data"] = '"storage"'
        return _bytes(shown.status, headers, b"" if request.method == "HEAD" else shown.body)

    def _snippet(self, request: Request, opened: OpenSession) -> Answer:
        """Answer with the snippet that shows the session's variation."""
        _refuse_writes(request)
        variation_id = _shown_variation(opened.session, self.sessions.state(opened.session))
        text = NO_EXPERIMENT
        if variation_id is not None:
            blob = self.files.get(snippet_key(opened.session.id, variation_id))
            if blob is None:
                raise NotFoundError("the snippet of this preview is gone; open a new preview")
            text = blob.content
        return _bytes(200, {**_SAFE, "Content-Type": _SCRIPT}, text)

    def _written_page(self, request: Request, opened: OpenSession) -> Answer:
        """Answer with a landing page while it is written."""
        _refuse_writes(request)
        blob = self.files.get(page_key(opened.session.id))
        if blob is None:
            raise NotFoundError("this preview is gone; change the page to make another one")
        page = read_page(blob.content)
        headers = {**_SAFE, "Referrer-Policy": "no-referrer", "Content-Security-Policy": page.policy}
        return _bytes(200, {**headers, "Content-Type": "text/html; charset=utf-8"}, page.html.encode())

    def _file(self, request: Request, opened: OpenSession, name: str) -> Answer:
        """Answer with a file that the snippet loads."""
        _refuse_writes(request)
        blob = self.files.get(file_key(opened.session.id, name)) if name and "/" not in name else None
        if blob is None:
            raise NotFoundError("there is no such file")
        kind = "text/css; charset=utf-8" if name.endswith(".css") else _SCRIPT
        return _bytes(200, {**_SAFE, "Content-Type": kind}, blob.content)

    def _state(self, event: GatewayEvent, request: Request, opened: OpenSession) -> Answer:
        """Answer with the state of the session, or change it."""
        if request.method in ("GET", "HEAD"):
            return self._shown_state(opened)
        if request.method != "POST":
            raise MethodNotAllowedError("GET, HEAD, POST")
        change = _state_change(event, request)
        if "variation_id" in change:
            self._switch(opened, change["variation_id"])
        else:
            self._write_cookies(opened, change)
        return _plain(204, {})

    def _shown_state(self, opened: OpenSession) -> Answer:
        session, state = opened.session, self.sessions.state(opened.session)
        page = None if state.page_url is None else {"url": state.page_url, "status": state.page_status}
        body = {
            "session_id": session.id,
            "hosts": list(session.hosts),
            "experiment_id": session.experiment_id,
            "variation_id": _shown_variation(session, state),
            "variation_ids": list(session.variation_ids),
            "expires_at": session.expires_at,
            "page": page,
            "cookies": sorted({cookie.name for cookie in state.jar.cookies}),
            "blocked": [{"url": each.url, "reason": each.reason} for each in state.blocked],
        }
        return _bytes(200, {**_SAFE, "Content-Type": "application/json"}, canonical_json.encode(body))

    def _switch(self, opened: OpenSession, variation_id: str) -> None:
        if variation_id not in opened.session.variation_ids:
            raise InvalidPreviewRequestError("variation_id: must be a variation of the experiment of this preview")
        self.sessions.change(opened.session, lambda state: replace(state, variation_id=variation_id))

    def _write_cookies(self, opened: OpenSession, change: Mapping[str, Any]) -> None:
        url, now = absolute(change["url"]), self.clock.now()
        if url is None or url.host not in opened.site.hosts:
            raise InvalidPreviewRequestError("url: must be a page of this preview")

        def written(state: SessionState) -> SessionState:
            jar = state.jar
            for text in change["cookies"]:
                jar = jar.written(url.href, text, now)
            return replace(state, jar=jar)

        self.sessions.change(opened.session, written)


def _state_change(event: GatewayEvent, request: Request) -> Mapping[str, Any]:
    """Return the fields of a change: `variation_id`, or `url` and `cookies`. Raises InvalidPreviewRequestError."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise UnsupportedBodyError(["application/json"], ["identity"])
    try:
        change = canonical_json.loads(body_of(event, MAX_STATE_BYTES))
    except ValueError as error:
        raise InvalidPreviewRequestError("the body must be JSON") from error
    if not isinstance(change, dict):
        raise InvalidPreviewRequestError("the body must be an object")
    _refuse_wrong(change)
    return change


def _refuse_wrong(change: Mapping[str, Any]) -> None:
    if "variation_id" not in change and not {"url", "cookies"} <= set(change):
        raise InvalidPreviewRequestError("send variation_id, or url and cookies")
    for name in ("variation_id", "url"):
        if not isinstance(change.get(name, ""), str):
            raise InvalidPreviewRequestError(f"{name}: must be a text")
    cookies = change.get("cookies", [])
    if (
        not isinstance(cookies, list)
        or len(cookies) > MAX_COOKIES
        or not all(isinstance(each, str) for each in cookies)
    ):
        raise InvalidPreviewRequestError(f"cookies: must be a list of at most {MAX_COOKIES} texts")


def _shown_variation(session: PreviewSession, state: SessionState) -> str | None:
    return state.variation_id or session.variation_id


def _first_part(path: str) -> str:
    return path.removeprefix(MODULES_PATH).partition("/")[0]


def _refuse_writes(request: Request) -> None:
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowedError("GET, HEAD")


def _plain(status: int, headers: Mapping[str, str]) -> Answer:
    return {"statusCode": status, "headers": {**_SAFE, **headers}, "body": ""}


def _bytes(status: int, headers: Mapping[str, str], body: bytes) -> Answer:
    return {
        "statusCode": status,
        "headers": dict(headers),
        "body": b64encode(body).decode(),
        "isBase64Encoded": True,
    }


def _refusal(error: ServiceError, request: Request) -> Answer:
    """Return an error as a page where a person sees it, and as JSON elsewhere."""
    if "text/html" in request.headers.get("accept", ""):
        text = f"{error.message[:1].upper()}{error.message[1:]}."
        return message_page(error, "This preview shows nothing here", text, _SAFE)
    return json_error(error, _SAFE)
