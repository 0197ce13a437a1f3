"""The commands of README and docs/getting-started.md, executed as written, in one shell."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tools.local.testing import free_ports

pytestmark = [pytest.mark.browser, pytest.mark.stack]

ROOT = Path(__file__).parents[2]
MARK = "<!-- executed by tests/e2e/test_readme.py -->"
RECEIVER_PORT = "8404"


PAGES = ("README.md", "docs/getting-started.md")


def blocks() -> list[str]:
    """Shell blocks that follow a mark, in the order of the pages."""
    text = "\n".join((ROOT / page).read_text() for page in PAGES)
    return re.findall(rf"{MARK}\n```bash\n(.*?)```", text, re.DOTALL)


def answers(text: str) -> list[Any]:
    """All JSON objects that a block printed one after the other, without the lines before the first."""
    start = re.search(r"^\{", text, re.MULTILINE)
    assert start, text
    found, rest = [], text[start.start() :].rstrip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        found.append(value)
        rest = rest[end:].lstrip()
    return found


def test_readme__commands_typed_as_written__answer(stack: dict[str, Any], browser: Browser, tmp_path: Path) -> None:
    script = "\necho ----\n".join(blocks()).replace(".local/dev.json", str(stack["directory"] / "dev.json"))
    script = script.replace(RECEIVER_PORT, str(free_ports(1)[0]))
    # A `make` that another one started prints the folders that it enters; readers start theirs from a shell.
    own = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    # A machine that runs twelve tests at once may answer 503 and Retry-After, which a reader would follow by hand.
    (tmp_path / ".curlrc").write_text("retry = 4\n")
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script],
        cwd=ROOT,
        env={**own, "ABTEST_LOCAL_DIR": str(stack["directory"]), "CURL_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    printed = [answers(each) for each in done.stdout.split("----\n")]
    (results,), (publishes,), (shots,), (launch, verified), (history,), (fact,), *guide = printed
    (shop,), (assigned,), (taken,), decided, read, (event, deliveries) = guide
    assert [goal["name"] for goal in results["goals"]] == ["Add to cart"]
    assert [row["status"] for row in publishes["data"]] == ["published", "superseded", "superseded"]
    assert publishes["data"][0]["version_id"] == publishes["data"][2]["version_id"]
    assert "https://pages.localhost/nowhere cannot be requested" in done.stdout
    assert "<h1>Free delivery</h1>" in done.stdout
    (preview_url,) = re.findall(r"^http://\S+/api/preview\?\S+$", done.stdout, re.MULTILINE)
    page = browser.new_page()
    page.goto(preview_url)
    expect(page.locator("h1")).to_have_text("Made well")
    page.close()
    assert [each["viewport"]["width"] for each in shots["results"]] == [390, 390, 1280, 1280]
    assert {each["error"] for each in shots["results"]} == {None}
    assert (launch["action"], launch["entity_name"]) == ("experiment.launch", "A banner with a date")
    assert (verified["problems"], verified["waiting"]) == ([], 0)
    assert verified["seals"]
    assert '+    "text": "Made to last"' in done.stdout
    assert (history["data"][0]["action"], history["data"][0]["entity_name"]) == (
        "experiment.apply",
        "A shorter headline",
    )
    assert re.search(r"^brand_name = Harbour Lane 0\.8 \w+ http", done.stdout, re.MULTILINE)
    assert re.search(r"^\d facts to review, 0 open findings$", done.stdout, re.MULTILINE)
    assert (fact["key"], fact["value"], fact["status"]) == ("brand_name", "Harbour Lane", "confirmed")
    assert shop["api_key"]["secret"]
    assert assigned["user_id"] == "visitor-1"
    assert taken == {"ingested": 1, "deduplicated": 0, "quarantined": 0, "errors": []}
    size, sequential, health = decided
    assert (size["required_total_visitors"], sequential["engine"]) == (106_422, "sequential")
    assert health["experiment_id"] == sequential["experiment_id"]
    refresh, series, segments, stats, quarantined = read
    assert refresh["job_id"]
    assert [each["timezone"] for each in (series, stats)] == ["Europe/Berlin"] * 2
    assert segments["dimensions"] == ["device", "source"]
    assert not [row for row in quarantined["data"] if "visitor-1" in row["sample"]], "of what the README sends"
    assert (event["event"], event["experiment_name"]) == ("experiment.completed", "A banner with a date")
    assert [row["id"] for row in deliveries["data"]] == [event["delivery_id"]]


def test_readme__every_make_target_that_it_names__exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    texts = "".join((ROOT / name).read_text() for name in (*PAGES, "CONTRIBUTING.md"))
    named = set(re.findall(r"make ([a-z][a-z0-9-]*)", texts))
    assert named
    missing = [target for target in named if not re.search(rf"^{target}[^\n]*:", makefile, re.MULTILINE)]
    assert not [target for target in missing if not (ROOT / f"benchmarks/{target.replace('-', '_')}.py").exists()]
