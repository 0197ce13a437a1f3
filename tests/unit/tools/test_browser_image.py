"""The image of the browser: pinned libraries, a user without rights, nothing secret, the template's handler."""

import re
from pathlib import Path

from tests.support.template import TEMPLATE
from tools.local.template.document import load

FOLDER = Path("tools/browser_image")
LINES = [line.strip() for line in (FOLDER / "Dockerfile").read_text().replace("\\\n", " ").splitlines()]
STEPS = [line.split(maxsplit=1) for line in LINES if line and not line.startswith("#")]
LOCK = (FOLDER / "requirements.txt").read_text()


def values(instruction: str) -> list[str]:
    return [value for name, value in STEPS if name == instruction]


def pins(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", path.read_text(), re.MULTILINE))


def test_base__is_one_point_release_of_debian() -> None:
    assert values("ARG") == [f"BASE=debian:{re.findall(r'12[.][0-9]+', values('ARG')[0])[0]}-slim"]
    assert [value.split()[0] for value in values("FROM")] == ["${BASE}", "${BASE}"]


def test_libraries__are_pinned_with_hashes__and_installed_so() -> None:
    (install,) = [value for value in values("RUN") if "pip install" in value]
    assert {"--require-hashes", "--no-deps", "--only-binary"} <= set(install.split())
    entries = re.split(r"^(?=[a-z])", LOCK, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in LOCK


def test_libraries__have_the_versions_of_the_layers_and_of_the_tests() -> None:
    image = pins(FOLDER / "requirements.txt")
    for other in ("layers/runtime/requirements.txt", "layers/media/requirements.txt", "requirements/dev.txt"):
        known = pins(Path(other))
        assert {name: known[name] for name in image if name in known} == {
            name: version for name, version in image.items() if name in known
        }, other
    assert set(pins(Path("layers/runtime/requirements.txt")) | pins(Path("layers/media/requirements.txt"))) <= set(
        image
    )


def test_image__runs_as_a_user_without_rights__and_holds_nothing_secret() -> None:
    assert values("USER") == ["worker"]
    assert STEPS.index(["USER", "worker"]) > max(
        index for index, (name, _) in enumerate(STEPS) if name in ("RUN", "COPY")
    )
    assert not re.search(r"(?i)secret|token|password|aws_access|--trusted-host|--index-url", "\n".join(LINES))
    assert not values("ADD")
    copied = [value.split()[-2] for value in values("COPY")]
    assert copied == [
        "tools/browser_image/requirements.txt",
        "/opt/python",
        "functions/worker_screenshots",
        "shared/abtest",
    ]


def test_image__starts_the_handler_of_the_template() -> None:
    (command,) = values("CMD")
    properties = load(TEMPLATE).resources["WorkerScreenshots"]["Properties"]
    assert properties["ImageConfig"]["Command"] == [command.strip('["]')]
    (environment,) = values("ENV")
    assert "HOME=/tmp" in environment  # the only folder that can be written in Lambda


def test_image__has_fonts_for_every_script_and_emoji() -> None:
    packages = {word for value in values("RUN") for word in value.split()}
    assert {"chromium-headless-shell", "fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji"} <= packages
