"""Files of the console: a page for each screen, and assets whose names change with their content."""

import logging
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from abtest.edge.console_page import ConsolePage
from abtest.edge.gateway import Answer, GatewayEvent, Headers, Request, body_of, json_error
from abtest.edge.guarding import guarded, refuse_other_methods
from abtest.kit import canonical_json, cookies
from abtest.kit.content_coding import accepted_codings, is_held
from abtest.kit.errors import NotFoundError

ASSETS = "/console/assets/"
REPORTS = "/console/csp"
REPORT_BYTES = 8_000
REPORTED = ("effective-directive", "blocked-uri", "source-file", "line-number")
TYPES: Mapping[str, str] = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)
FOREVER: Headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
SECURITY: Headers = {
    "X-Content-Type-Options": "nosniff",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ConsoleShell:
    """Responses from the folder that `make console` writes.

    `images`, `frames` and `uploads` are origins, as a content security policy names them: of the files of shops, of
    previews, and of the store that takes large files by signed addresses and sends browsers to them.
    """

    files: Path
    images: str
    frames: str
    uploads: str

    def answer(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """Answer with the page or an asset; only errors are JSON."""
        return guarded(lambda: self._answer(Request.of(event), event), lambda error: json_error(error, SECURITY))

    def _answer(self, request: Request, event: GatewayEvent) -> Answer:
        path = event["rawPath"]
        if path == REPORTS and request.method == "POST":
            log_violation(body_of(event, most=REPORT_BYTES))
            return {"statusCode": 204, "headers": SECURITY, "body": ""}
        refuse_other_methods(request)
        if path.startswith(ASSETS):
            return self._asset(request, path.removeprefix(ASSETS))
        has_session = any(cookie.startswith(f"{cookies.SESSION}=") for cookie in event.get("cookies", ()))
        page = self._page().at(path, has_session=has_session)
        headers = self._page_headers(page)
        if is_held(request.headers.get("if-none-match"), headers["ETag"]):
            return {"statusCode": 304, "headers": headers, "body": ""}
        return {"statusCode": 200, "headers": {**headers, "Content-Type": "text/html; charset=utf-8"}, "body": page}

    def _page(self) -> ConsolePage:
        # Read each time: next to a running stack the console is built again and again.
        page, screens = (self.files / name for name in ("index.html", "screens.json"))
        return ConsolePage.of(page.read_text(encoding="utf-8"), screens.read_text(encoding="utf-8"))

    def _asset(self, request: Request, name: str) -> Answer:
        file = self.files / "assets" / name
        content_type = TYPES.get(file.suffix)
        if content_type is None or not _NAME.fullmatch(name) or not file.is_file():
            raise NotFoundError("there is no such file: another release may be deployed, load the page again")
        headers = {**SECURITY, **FOREVER, "Content-Type": content_type}
        if accepted_codings(request.headers.get("accept-encoding", "")).get("br", 0.0) > 0:
            file, headers = file.with_name(f"{name}.br"), {**headers, "Content-Encoding": "br"}
        body = b64encode(file.read_bytes()).decode()
        return {"statusCode": 200, "headers": headers, "body": body, "isBase64Encoded": True}

    def _page_headers(self, page: str) -> dict[str, str]:
        return {
            **SECURITY,
            "Cache-Control": "no-cache",
            "Vary": "Cookie",
            "ETag": f'"{sha256(page.encode()).hexdigest()[:16]}"',
            "Content-Security-Policy": policy(self.images, self.frames, self.uploads),
            "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
        }


def policy(images: str, frames: str, uploads: str) -> str:
    """Return the content security policy of the page: scripts and styles of this host only; see `ConsoleShell`."""
    rules = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": f"'self' {uploads}",
        "img-src": f"'self' data: blob: {images} {uploads}",
        "media-src": f"{images} {uploads}",
        "frame-src": frames,
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
        "report-uri": REPORTS,
    }
    return "; ".join(f"{name} {value}".strip() for name, value in rules.items())


def log_violation(body: bytes) -> None:
    """Log what a browser reports against the policy. Anybody can send one, so no other part of it is believed."""
    try:
        report = canonical_json.loads(body)["csp-report"]
        named = {name: str(report[name])[:200] for name in REPORTED if name in report}
    except (ValueError, TypeError, KeyError):
        return
    _log.warning("console.policy_violated", extra={"violation": named})
