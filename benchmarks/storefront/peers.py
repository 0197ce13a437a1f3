"""The peers from npm, at exact versions, and their bundles as their documentation says to load them."""

import json
import subprocess
from functools import cache
from pathlib import Path

import brotli

from benchmarks import npm

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"


def install() -> None:
    """Install the peers, unless they are there."""
    npm.install(HERE)


def version(package: str) -> str:
    """Of an installed package."""
    text: str = json.loads((MODULES / package / "package.json").read_text())["version"]
    return text


@cache
def growthbook() -> str:
    """The bundle of GrowthBook's script tag."""
    return (MODULES / "@growthbook/growthbook/dist/bundles/auto.min.js").read_text()


@cache
def posthog() -> str:
    """The bundle that PostHog's snippet loads."""
    return (MODULES / "posthog-js/dist/array.js").read_text()


@cache
def amplitude() -> str:
    """The browser client of Amplitude Experiment. Their tag (47,579 bytes), which also changes pages, is not on npm."""
    return (MODULES / "@amplitude/experiment-js-client/dist/experiment-browser.min.js").read_text()


@cache
def turbo() -> str:
    """Hotwire Turbo as a plain script."""
    return (MODULES / "@hotwired/turbo/dist/turbo.es2017-umd.js").read_text()


@cache
def dom_mutator() -> str:
    """dom-mutator as a global `mutate`, bundled and minified."""
    command = [MODULES / ".bin/esbuild", MODULES / "dom-mutator/dist/dom-mutator.esm.js"]
    options = ["--bundle", "--minify", "--format=iife", "--global-name=domMutator", "--target=es2020"]
    return subprocess.run([*command, *options], check=True, capture_output=True, text=True).stdout


def compressed(text: str) -> int:
    """Bytes in brotli, quality 11."""
    return len(brotli.compress(text.encode(), mode=brotli.MODE_TEXT, quality=11))
