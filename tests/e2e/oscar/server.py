"""Runs the shop in an environment of its own, as another company's software would be."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import requests

from tools.local.surroundings import PROJECT
from tools.local.testing import free_ports

_PYTHON = PROJECT / ".local" / "venvs" / "oscar" / "bin" / "python"
_SHOP = Path(__file__).parent / "shop"
_START_SECONDS = 60


@contextmanager
def running_shop(directory: Path, snippet_url: str) -> Iterator[str]:
    """The address of the shop's product page; `directory` keeps its database. The snippet stands in every page."""
    if not _PYTHON.exists():
        raise RuntimeError("django-oscar is not installed: run `make setup`")
    (port,) = free_ports(1)
    environment = os.environ | {
        "SHOP_DATABASE": str(directory / "shop.sqlite"),
        "SHOP_HOST": f"127.0.0.1:{port}",
        "SHOP_SNIPPET_URL": snippet_url,
        "DJANGO_SETTINGS_MODULE": "settings",
        "PYTHONPATH": str(_SHOP),
        "PYTHONDONTWRITEBYTECODE": "1",
    }

    def run(*arguments: str) -> str:
        done = subprocess.run([_PYTHON, *arguments], env=environment, cwd=_SHOP, check=True, stdout=subprocess.PIPE)
        return done.stdout.decode().strip()

    run("-m", "django", "migrate", "--run-syncdb", "-v0")
    path = run("seed.py")
    with (directory / "shop.log").open("wb") as log:
        server = subprocess.Popen(
            [_PYTHON, "-m", "django", "runserver", "--noreload", f"127.0.0.1:{port}"],
            env=environment,
            cwd=_SHOP,
            stdout=log,
            stderr=log,
        )
    try:
        product = f"http://127.0.0.1:{port}{path}"
        _await(product, server, directory / "shop.log")
        yield product
    finally:
        server.terminate()
        server.wait(30)


def _await(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    asked = monotonic()
    while monotonic() - asked < _START_SECONDS and server.poll() is None:
        try:
            if requests.get(url, timeout=10).ok:
                return
        except requests.ConnectionError:
            sleep(0.2)
    raise RuntimeError(f"the shop did not start:\n{log.read_text(errors='replace')[-4000:]}")
