"""Writes docs/api/openapi.json, the copy that the API serves, and its paths: `python -m tools.openapi`.

With `--check` it only compares.
"""

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
for folder in ("shared", "functions"):
    sys.path.insert(0, str(ROOT / folder))

from abtest.http.openapi import build  # noqa: E402 - the path comes first
from abtest.http.route import Router  # noqa: E402
from abtest.kit import canonical_json  # noqa: E402
from tools.edge_openapi import with_edge_routes  # noqa: E402
from tools.reference.alternatives import with_plain_objects  # noqa: E402
from tools.reference.descriptions import Descriptions  # noqa: E402
from tools.reference.examples import Examples  # noqa: E402
from tools.reference.names import renamed  # noqa: E402
from tools.reference.operations import describe_operations  # noqa: E402
from tools.reference.overview import unknown_tags, with_overview  # noqa: E402
from tools.reference.webhooks import with_webhooks  # noqa: E402

COMMITTED = ROOT / "docs" / "api" / "openapi.json"
PACKAGED = ROOT / "shared" / "abtest" / "http" / "openapi.json"
PATHS = PACKAGED.with_name("paths.json")


def routers() -> Iterator[Router]:
    """The routers of every management family, family by family. Routes of the console are its own."""
    for routes in sorted((ROOT / "functions").glob("api_*/routes.py")):
        module = import_module(f"{routes.parent.name}.routes")
        routers = [value for value in vars(module).values() if isinstance(value, Router)]
        yield from (router for router in routers if router.is_documented)


def document(gaps: list[str] | None = None) -> dict[str, Any]:
    """The whole document as the routes and the package `reference` make it now. What it lacks is added to `gaps`."""
    made = with_plain_objects(renamed(with_edge_routes(build(list(routers())))))
    made = with_webhooks(with_overview(made))
    descriptions, examples = Descriptions(), Examples(made)
    descriptions.describe(made)
    describe_operations(made)
    examples.add()
    if gaps is not None:
        gaps.extend(gaps_of(made, descriptions, examples))
    return made


def render(made: dict[str, Any]) -> dict[Path, bytes]:
    """The document for people to read in a diff, the compact one that is served, and paths of the management API."""
    return {
        COMMITTED: json.dumps(made, indent=2, sort_keys=True, ensure_ascii=False).encode() + b"\n",
        PACKAGED: canonical_json.encode(made),
        PATHS: canonical_json.encode(sorted(path for path, item in made["paths"].items() if "servers" not in item)),
    }


def main() -> int:
    """Write the files, or with `--check` say whether they are what the routes say."""
    gaps: list[str] = []
    rendered = render(document(gaps))
    if "--check" not in sys.argv:
        COMMITTED.parent.mkdir(parents=True, exist_ok=True)
        for path, content in rendered.items():
            path.write_bytes(content)
    stale = [path for path, content in rendered.items() if not path.exists() or path.read_bytes() != content]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is not what the routes say: run python -m tools.openapi")
    print(*gaps, sep="\n", end="\n" if gaps else "")
    return 1 if "--check" in sys.argv and (stale or gaps) else 0


def gaps_of(made: dict[str, Any], descriptions: Descriptions, examples: Examples) -> list[str]:
    """List of what readers of the document would miss, each with its place."""
    texts = "tools/reference/descriptions"
    return [
        *(f"{place} has no description: write one in the code or in {texts}" for place in descriptions.missing),
        *(f"{place} in {texts} describes nothing" for place in descriptions.unused()),
        *(f"{place} has no example: write one in tools/reference/examples/values.toml" for place in examples.gaps),
        *(f"the tag {tag} is missing in tools/reference/overview.py" for tag in unknown_tags(made)),
    ]


if __name__ == "__main__":
    raise SystemExit(main())
