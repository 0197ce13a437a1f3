"""Films in Chromium, through the function that answers with a part of what a player requests."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser

from abtest.adapters.images import PillowCodec
from abtest.services.assets.files import prepared
from tests.support.assets import fetched
from tests.support.memory import MemoryAssetFiles

pytestmark = pytest.mark.browser

FOLDER = "a/0192e4a0-0000-7000-8000-000000000001/0123456789abcdef"
PART = 256 * 1024
RECORD = """async ([type, seconds]) => {
  const canvas = Object.assign(document.createElement('canvas'), {width: 320, height: 180});
  const context = canvas.getContext('2d'), image = context.createImageData(320, 180);
  const noise = () => {
    for (let place = 0; place < image.data.length; place++) image.data[place] = Math.random() * 256;
    context.putImageData(image, 0, 0);
  };
  const recorder = new MediaRecorder(canvas.captureStream(30), {mimeType: type, videoBitsPerSecond: 2e7}), parts = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const timer = setInterval(noise, 33);
  recorder.start();
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  await new Promise((done) => { recorder.onstop = done; recorder.stop(); });
  clearInterval(timer);
  const reader = new FileReader();
  reader.readAsDataURL(new Blob(parts));
  await new Promise((done) => (reader.onload = done));
  return reader.result.split(',')[1];
}"""
WATCH = """async (address) => {
  const video = document.body.appendChild(Object.assign(document.createElement('video'), {muted: true}));
  const until = (name) => new Promise((done, failed) => {
    video.addEventListener(name, done, {once: true});
    video.addEventListener('error', () => failed(new Error(video.error.message)), {once: true});
  });
  video.src = address;
  await until('loadedmetadata');
  video.currentTime = video.duration / 2;
  await until('seeked');
  const place = video.currentTime / video.duration;
  video.play();
  await until('ended');
  return place;
}"""


class Origin:
    """The origin of public files on this machine, and the ranges that it answered."""

    def __init__(self) -> None:
        self.files = MemoryAssetFiles()
        self.ranges: list[str] = []
        origin = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                headers = {name.lower().replace("-", "_"): value for name, value in self.headers.items()}
                answer = fetched(origin.files, self.path, **headers)
                body = base64.b64decode(answer["body"]) if answer.get("isBase64Encoded") else answer["body"].encode()
                origin.ranges += [value for name, value in answer["headers"].items() if name == "Content-Range"]
                self.send_response(answer["statusCode"])
                for name, value in {**answer["headers"], "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(ConnectionError):  # a player that has enough hangs up
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)


@pytest.fixture
def origin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Origin]:
    """The origin, with parts that are much smaller than the films."""
    monkeypatch.setattr("abtest.edge.assets.MAX_SERVED_BYTES", PART)
    origin = Origin()
    thread = threading.Thread(target=origin.server.serve_forever, daemon=True)
    thread.start()
    yield origin
    origin.server.shutdown()
    origin.server.server_close()
    thread.join()


@pytest.mark.parametrize(("recorded", "file_name"), [("video/mp4", "film.mp4"), ("video/webm", "film.webm")])
def test_film__in_parts__can_be_watched_from_its_middle_to_its_end(
    browser: Browser, origin: Origin, recorded: str, file_name: str
) -> None:
    page = browser.new_context().new_page()
    # Without a length at its start a film cannot be sought, so it is recorded at once; a busy machine needs longer.
    films = (base64.b64decode(page.evaluate(RECORD, [recorded, seconds])) for seconds in (2, 4, 8, 16))
    content = next(each for each in films if len(each) > 3 * PART)
    film = prepared(PillowCodec(), content, file_name)
    origin.files.put(f"{FOLDER}/{file_name}", film.content, content_type=film.asset_type.mime_type)
    address = f"http://127.0.0.1:{origin.server.server_port}/{FOLDER}/{file_name}"
    assert page.evaluate(WATCH, address) == pytest.approx(0.5, abs=0.05)
    assert len(origin.ranges) >= 3
    page.context.close()
