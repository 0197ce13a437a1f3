"""Write the files of a new resource, with tests that pass: `make resource NAME=label`, then adapt it.

Files with $-names are in `tools/resource_templates`; registrations are inserted into the files that list every
resource. Nothing is written when a name is taken. The steps that follow are in CONTRIBUTING, "Add a resource".
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from string import Template

TEMPLATES = Path(__file__).parent / "resource_templates"
EVENT = (
    "        $event: {Type: HttpApi, Properties: "
    '{ApiId: !Ref ManagementApi, Path: "/api/v1/$path$rest", Method: ANY}}\n'
)
FILES = {
    "model": "shared/abtest/domain/$plural/model.py",
    "room": "shared/abtest/domain/$plural/__init__.py",
    "service": "shared/abtest/services/$plural.py",
    "contract": "shared/abtest/contract/$plural.py",
    "routes": "functions/$family/endpoints/$plural.py",
    "tests": "tests/integration/$family/test_$plural.py",
}


class RefusedError(Exception):
    """The resource cannot be written; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text that goes before or after the first match of a pattern in a file."""

    path: str
    pattern: str
    text: str
    before: bool = False

    def applied(self, source: str) -> str:
        """Return the source with the text. Raises RefusedError when the pattern is not there."""
        match = re.search(self.pattern, source, re.MULTILINE)
        if match is None:
            raise RefusedError(f"{self.path} has no line like {self.pattern!r}")
        place = match.start() if self.before else match.end()
        return source[:place] + self.text + source[place:]


INSERTIONS = (
    Insertion(
        "tests/integration/bad_input/conftest.py",
        r'^            "shop_id": tenant\.shop\.id,\n',
        '            "${name}_id": client.post("/$path", {"name": "One"}).json()["id"],\n',
    ),
    # Before the kind itself: a catalog that has the kind is refused.
    Insertion("shared/abtest/ports/catalog.py", r'^"""Kind of a record: [^.]+', ", $noun"),
    Insertion("shared/abtest/ports/catalog.py", r'^Kind = Literal\[\n(?:    "\w+",\n)+', '    "$kind",\n'),
    Insertion(
        "functions/$family/routes.py", r"^from ", "from $family.endpoints.$plural import router as $plural\n", True
    ),
    Insertion("functions/$family/routes.py", r"^ROUTERS = \(\n", "    $plural,\n"),
    Insertion("shared/abtest/wiring/$family.py", r"^from ", "from abtest.services.$plural import $Plural\n", True),
    Insertion("shared/abtest/wiring/$family.py", r"^    return \{\n", "        $Plural: $Plural(base.world),\n"),
    Insertion(
        "template.yaml",
        r"Handler: $family\.app\.handler\n(?:.*\n)*?      Events:\n",
        EVENT.replace("$event", "${Plural}").replace("$rest", "")
        + EVENT.replace("$event", "${Name}").replace("$rest", "/{proxy+}"),
    ),
    # The first list of partitions is that of the catalog.
    Insertion(
        "template.yaml",
        r'Handler: $family\.app\.handler\n(?:.*\n)*?.*"dynamodb:LeadingKeys": \[',
        '"S#*#$kind", "X#$kind#*", "U#*#$kind#*", ',
    ),
    Insertion(
        "tests/unit/tools/test_template_policies.py",
        r"^WRITERS: dict\[Kind, set\[str\]\] = \{\n",
        '    "$kind": {"$Family"},\n',
    ),
    Insertion("tests/unit/aggregates/families.py", r"^from ", "from abtest.domain.$plural.model import $Name\n", True),
    Insertion(
        "tests/unit/aggregates/families.py", r"^from ", "from abtest.services.$plural import ${KINDS}, $Plural\n", True
    ),
    Insertion(
        "tests/unit/aggregates/families.py",
        r"^FAMILIES = \{\n",
        '    "$nouns": Family(resource=$KINDS, make=_plain($Name)),\n',
    ),
    Insertion(
        "tests/unit/aggregates/families.py",
        r"^STORES: dict\[str, Store\] = \{\n",
        '    "$nouns": lambda world, _: $Plural(world),\n',
    ),
)


def names(name: str, family: str, reads: str) -> dict[str, str]:
    """Every form of a resource's name that templates use. Raises RefusedError unless it is snake case."""
    if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name) or not re.fullmatch(r"api_[a-z]+", family):
        raise RefusedError("NAME must be singular snake case, such as label; FAMILY a folder such as api_experiments")
    plural = re.sub(r"y$", "ie", name) + "s"
    camel = "".join(word.title() for word in name.split("_"))
    return {
        "name": name,
        "plural": plural,
        "Name": camel,
        "Plural": "".join(word.title() for word in plural.split("_")),
        "KINDS": plural.upper(),
        "kind": name.upper().replace("_", ""),
        "noun": name.replace("_", " "),
        "nouns": plural.replace("_", " "),
        "Nouns": plural.replace("_", " ").capitalize(),
        "path": plural.replace("_", "-"),
        "family": family,
        "Family": "".join(word.title() for word in family.split("_")),
        "scope": reads,
    }


def planned(root: Path, fields: dict[str, str]) -> dict[Path, str]:
    """Every file to write, with its content. Raises RefusedError when a file or the kind exists."""
    contents: dict[Path, str] = {}
    if not (root / "functions" / fields["family"]).is_dir():
        raise RefusedError(f"there is no functions/{fields['family']}")
    for template, place in FILES.items():
        path = root / Template(place).substitute(fields)
        if path.exists():
            raise RefusedError(f"{path.relative_to(root)} exists")
        contents[path] = Template((TEMPLATES / f"{template}.txt").read_text()).substitute(fields)
    for insertion in INSERTIONS:
        path = root / Template(insertion.path).substitute(fields)
        if not path.exists():
            raise RefusedError(f"there is no {path.relative_to(root)}")
        pattern = insertion.pattern.replace("$family", fields["family"])
        text = Template(insertion.text).substitute(fields)
        source = contents.get(path) or path.read_text()
        if f'"{fields["kind"]}"' in source and path.name == "catalog.py":
            raise RefusedError(f"the kind {fields['kind']} exists")
        contents[path] = Insertion(insertion.path, pattern, text, insertion.before).applied(source)
    return contents


def main(arguments: list[str] | None = None) -> int:
    """Write the resource and print what to run next."""
    parser = argparse.ArgumentParser(prog="make resource", description=__doc__)
    parser.add_argument("name", help="singular, in snake case: label")
    parser.add_argument("--family", default="api_experiments", help="the function that serves its routes")
    parser.add_argument("--scope", default="experiments", help="the scope whose :read and :write its routes need")
    given = parser.parse_args(arguments)
    root = Path.cwd()
    try:
        contents = planned(root, names(given.name, given.family, given.scope))
    except RefusedError as error:
        print(f"refused: {error}", file=sys.stderr)
        return 2
    for path, content in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        print(f"wrote {path.relative_to(root)}")
    plural = names(given.name, given.family, given.scope)["plural"]
    print("next: .venv/bin/ruff format . && .venv/bin/ruff check --fix . && make openapi")
    print(f"then: .venv/bin/pytest tests/unit/aggregates tests/integration/{given.family}/test_{plural}.py")
    print(f"      .venv/bin/pytest tests/integration/bad_input -k '{given.name} or known_here'")
    return 0


if __name__ == "__main__":
    sys.exit(main())
