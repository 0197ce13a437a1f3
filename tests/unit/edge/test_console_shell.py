"""Page and files of the console."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest

from abtest.edge.console_shell import ConsoleShell
from abtest.wiring.console_shell import console_files, origin
from abtest.wiring.settings import MissingSettingError

SHOP = "01890a5d-ac96-774b-bcce-b302099a8057"
PAGE = """<title>console</title><script src="begin.js" data-shop="" data-first=""></script>
<!-- scripts of the screen -->
<div id="console"><!-- frame --></div>"""
SCREENS = {
    "frame": '<nav><a href="/console/{shop}">Overview</a><a href="/console/{shop}/flags">Flags</a></nav>',
    "screens": [
        {"pattern": "/?", "place": "", "first": "/analytics/overview?limit=100&a=b", "scripts": ["overview.js"]},
        {"pattern": "/flags/new/?", "place": "/flags", "first": None, "scripts": ["new.js", "part.js"]},
        {"pattern": "/flags/[^/]+/?", "place": "/flags", "first": None, "scripts": ["flag.js"]},
        {"pattern": "/people/me/?", "place": None, "first": None, "scripts": ["me.js"]},
    ],
}


@pytest.fixture
def shell(tmp_path: Path) -> ConsoleShell:
    assets = tmp_path / "assets"
    assets.mkdir()
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "screens.json").write_text(json.dumps(SCREENS))
    (assets / "main-A1.js").write_bytes(b"plain")
    (assets / "main-A1.js.br").write_bytes(b"packed")
    (tmp_path / "sizes.json").write_text("{}")
    return ConsoleShell(
        tmp_path,
        images="https://assets.example",
        frames="https://*.preview.example",
        uploads="https://store.example",
    )


def event(method: str, path: str, headers: dict[str, str]) -> dict[str, Any]:
    return {
        "rawPath": path,
        "headers": headers,
        "requestContext": {"http": {"method": method, "path": path, "sourceIp": "203.0.113.9"}},
    }


def get(shell: ConsoleShell, path: str, **headers: str) -> dict[str, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return dict(shell.answer(event("GET", path, named)))


def signed_in(shell: ConsoleShell, path: str) -> dict[str, Any]:
    cookies = {"cookies": ["other=1", "__Host-svc_session=anything"]}
    return dict(shell.answer(event("GET", path, {}) | cookies))


@pytest.mark.parametrize(
    "path", ["/console", "/console/", "/console/a-shop/flags/1", "/console/index.html", f"/console/{SHOP}x/flags/1"]
)
def test_page__of_no_shop__has_neither_frame_nor_scripts_of_a_screen(shell: ConsoleShell, path: str) -> None:
    for answer in (get(shell, path), signed_in(shell, path)):
        assert answer["statusCode"] == 200
        assert "<title>console</title>" in answer["body"]
        assert 'data-shop="" data-first=""></script>\n<div id="console"></div>' in answer["body"]
        assert answer["headers"]["Cache-Control"] == "no-cache"
        assert answer["headers"]["Vary"] == "Cookie"


def test_page__without_a_session__loads_the_screen_and_reads_nothing(shell: ConsoleShell) -> None:
    body = get(shell, f"/console/{SHOP}/flags/new")["body"]
    assert 'href="/console/assets/new.js"' in body
    assert 'href="/console/assets/part.js"' in body
    assert 'data-shop="" data-first=""' in body
    assert "<nav>" not in body


def test_page__with_a_session__shows_the_frame_and_names_what_is_read_first(shell: ConsoleShell) -> None:
    body = signed_in(shell, f"/console/{SHOP}")["body"]
    assert f'data-shop="{SHOP}" data-first="/analytics/overview?limit=100&amp;a=b"' in body
    assert f'<a href="/console/{SHOP}" aria-current="page">Overview</a>' in body
    assert f'<a href="/console/{SHOP}/flags">Flags</a>' in body
    below = signed_in(shell, f"/console/{SHOP}/flags/7/")["body"]
    assert 'href="/console/assets/flag.js"' in below
    assert f'data-shop="{SHOP}" data-first=""' in below
    assert f'<a href="/console/{SHOP}/flags" aria-current="page">Flags</a>' in below
    assert below.count("aria-current") == 1


@pytest.mark.parametrize("rest", ["/people/me", "/none", "/flags/1/2", "/%22%3E"])
def test_page__outside_of_the_navigation__has_no_current_place(shell: ConsoleShell, rest: str) -> None:
    body = signed_in(shell, f"/console/{SHOP}{rest}")["body"]
    assert "<nav>" in body
    assert "aria-current" not in body


def test_page__policy__allows_this_host_files_of_shops_and_previews(shell: ConsoleShell) -> None:
    policy = get(shell, "/console/")["headers"]["Content-Security-Policy"].split("; ")
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "img-src 'self' data: blob: https://assets.example https://store.example" in policy
    assert "connect-src 'self' https://store.example" in policy
    assert "report-uri /console/csp" in policy
    assert "frame-src https://*.preview.example" in policy
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy


def test_page__that_is_held__is_304(shell: ConsoleShell) -> None:
    tag = get(shell, "/console/")["headers"]["ETag"]
    answer = get(shell, "/console/x", if_none_match=tag)
    assert (answer["statusCode"], answer["body"]) == (304, "")


@pytest.mark.parametrize(
    ("accepted", "body", "coding"),
    [
        ("gzip, deflate, br", b"packed", "br"),
        ("br;q=0.5", b"packed", "br"),
        ("gzip, br;q=0", b"plain", None),
        ("gzip", b"plain", None),
        ("brotli", b"plain", None),
        ("", b"plain", None),
    ],
)
def test_asset__by_what_is_accepted__is_packed_or_plain(
    shell: ConsoleShell, accepted: str, body: bytes, coding: str | None
) -> None:
    answer = get(shell, "/console/assets/main-A1.js", accept_encoding=accepted)
    assert b64decode(answer["body"]) == body
    assert answer["headers"].get("Content-Encoding") == coding
    assert answer["headers"]["Content-Type"] == "text/javascript; charset=utf-8"
    assert "immutable" in answer["headers"]["Cache-Control"]


@pytest.mark.parametrize(
    "name",
    [
        "../index.html",
        "../sizes.json",
        "..",
        "",
        "main-A1.js.br",
        "main-A2.js",
        "a/b.js",
        "%2e%2e/sizes.json",
        "x" * 200 + ".js",
    ],
)
def test_asset__that_is_none__is_404_without_caching(shell: ConsoleShell, name: str) -> None:
    answer = get(shell, f"/console/assets/{name}")
    assert answer["statusCode"] == 404
    assert answer["headers"]["Cache-Control"] == "no-store"


REPORT = b'{"csp-report": {"effective-directive": "script-src", "blocked-uri": "https://evil.example/x", "more": "y"}}'


def test_report__of_a_browser__is_logged_in_part(shell: ConsoleShell, caplog: pytest.LogCaptureFixture) -> None:
    report = event("POST", "/console/csp", {}) | {"body": b64encode(REPORT).decode(), "isBase64Encoded": True}
    assert shell.answer(report)["statusCode"] == 204
    (record,) = caplog.records
    named = record.__dict__["violation"]
    assert named == {"effective-directive": "script-src", "blocked-uri": "https://evil.example/x"}


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"csp-report": 1}', "{", '{"csp-report": null}'])
def test_report__without_a_violation__is_dropped(
    shell: ConsoleShell, caplog: pytest.LogCaptureFixture, body: str
) -> None:
    assert shell.answer(event("POST", "/console/csp", {}) | {"body": body})["statusCode"] == 204
    assert caplog.records == []


def test_report__that_is_long__is_413(shell: ConsoleShell) -> None:
    assert shell.answer(event("POST", "/console/csp", {}) | {"body": "x" * 9000})["statusCode"] == 413


def test_page__by_post__is_405(shell: ConsoleShell) -> None:
    assert shell.answer(event("POST", "/console/", {}))["statusCode"] == 405


def test_files__before_the_console_is_built__names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    with pytest.raises(MissingSettingError, match="make console"):
        console_files()


def test_origin__of_a_base_with_a_session__is_a_wildcard() -> None:
    assert origin("https://{session}.preview.example/x") == "https://*.preview.example"
    assert origin("http://127.0.0.1:8401") == "http://127.0.0.1:8401"
