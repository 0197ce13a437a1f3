"""Check of template.yaml by the rules of checkov, with a list of exceptions that each have a reason.

checkov does not expand `Fn::ForEach`, so it reads the template as the local stack expands it. It runs without its
platform: nothing is downloaded or sent.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from tools.local.template.document import Document, load

ROOT = Path(__file__).parents[1]
EXCEPTIONS = ROOT / "tools" / "template_audit.yaml"
CHECKOV = ROOT / ".local" / "venvs" / "checkov" / "bin" / "checkov"
OPTIONS = ("--framework", "cloudformation", "--skip-download", "--quiet", "--compact", "--output", "json")
TRANSFORM = "AWS::Serverless-2016-10-31"
EVERY = "*"


@dataclass(frozen=True, order=True)
class Failure:
    """Rule that a resource does not follow."""

    rule: str
    resource: str
    text: str = ""


@dataclass(frozen=True)
class Exemption:
    """Resources that need not follow a rule, and why."""

    resources: frozenset[str]
    reason: str

    def covers(self, resource: str) -> bool:
        """Return whether the resource is listed, by name or by `*`."""
        return bool(self.resources & {resource, EVERY})


def exemptions(path: Path = EXCEPTIONS) -> dict[str, Exemption]:
    """Read the list of exceptions by rule."""
    listed = yaml.safe_load(path.read_text())
    return {
        rule: Exemption(
            frozenset([each["resources"]] if each["resources"] == EVERY else each["resources"]), each["reason"]
        )
        for rule, each in listed.items()
    }


def complaints(failures: Iterable[Failure], exempt: Mapping[str, Exemption]) -> Iterator[str]:
    """Describe failures without an exception, and exceptions without a failure."""
    distinct = set(failures)
    for failure in sorted(distinct):
        if failure.rule not in exempt or not exempt[failure.rule].covers(failure.resource):
            yield f"{failure.resource}: {failure.rule}: {failure.text}"
    for rule, exemption in sorted(exempt.items()):
        failing = {failure.resource for failure in distinct if failure.rule == rule}
        stale = exemption.resources - failing - ({EVERY} if failing else set())
        yield from (f"{resource}: {rule} is listed in {EXCEPTIONS.name}, but holds" for resource in sorted(stale))


def failures(template: Path) -> list[Failure]:
    """Run checkov over a template. Raises CalledProcessError when it cannot read it."""
    with TemporaryDirectory() as folder:
        expanded = Path(folder) / "template.json"
        expanded.write_text(json.dumps(plain(load(template))))
        run = subprocess.run([CHECKOV, "-f", expanded, *OPTIONS], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):  # 1: some rules do not hold
        raise subprocess.CalledProcessError(run.returncode, run.args, run.stdout, run.stderr)
    results = json.loads(run.stdout)["results"]
    assert not results.get("parsing_errors"), results["parsing_errors"]
    return [
        Failure(each["check_id"], each["resource"].rpartition(".")[2], each["check_name"])
        for each in results["failed_checks"]
    ]


def plain(document: Document) -> dict[str, object]:
    """Return the template without loops, as JSON."""
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Transform": TRANSFORM,
        "Parameters": document.parameters,
        "Conditions": document.conditions,
        "Globals": document.globals,
        "Resources": document.resources,
    }


def main() -> int:
    """Print complaints; return 1 if there are any."""
    lines = list(complaints(failures(ROOT / "template.yaml"), exemptions()))
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
