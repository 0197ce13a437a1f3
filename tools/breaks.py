"""Deliberate breaks of rules across the rooms: the short gate must find each (`make breaks`).

Each break changes one rule in a copy of the project and runs the folder of tests that guards it, which is part of
lane `check` or `long`. A break that no test finds, or whose pattern no longer matches exactly one place, fails the run.
So do tests that fail without the break.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.project_copy import copy_project, run_module

DOMAIN = "shared/abtest/domain"


@dataclass(frozen=True, slots=True)
class Break:
    """One rule, how it is broken, and the tests that guard it."""

    rule: str
    path: str
    pattern: str
    replacement: str
    tests: tuple[str, ...]

    def applied(self, source: str) -> str:
        """The source with the broken rule. Raises ValueError unless the pattern is in exactly one place."""
        broken, count = re.subn(self.pattern, self.replacement, source, flags=re.MULTILINE)
        if count != 1 or broken == source:
            raise ValueError(f"{self.path}: {self.pattern!r} matches {count} places")
        return broken


BREAKS = (
    Break("hash of visitors", f"{DOMAIN}/assignment/hash.py", r"\* 16777619", "* 16777621", ("tests/golden",)),
    Break("hash in JavaScript", "shared/abtest/storefront/src/hash.js", "16777619", "16777621", ("tests/golden",)),
    Break(
        "seed of a later epoch",
        f"{DOMAIN}/assignment/hash.py",
        r"if epoch == 1 else",
        "if epoch <= 2 else",
        ("tests/golden", "tests/unit/assignment"),
    ),
    Break(
        "shoppers' calls are not repeated",
        "shared/abtest/ports/waits.py",
        r'"s3": Wait\(attempts=1',
        '"s3": Wait(attempts=3',
        ("tests/budgets/test_waits.py",),
    ),
    Break(
        "one control",
        f"{DOMAIN}/experiments/rules.py",
        r"len\(controls\) == 1",
        "len(controls) <= 1",
        ("tests/unit/experiments",),
    ),
    Break(
        "weights sum to 1",
        f"{DOMAIN}/experiments/limits.py",
        r"^WEIGHT_TOLERANCE = .*$",
        "WEIGHT_TOLERANCE = 0.5",
        ("tests/unit/experiments",),
    ),
    Break(
        "sample ratio mismatch",
        f"{DOMAIN}/stats/sample_ratio.py",
        r"^SINGLE_LOOK_ALPHA = .*$",
        "SINGLE_LOOK_ALPHA = 0.05",
        ("tests/unit/stats", "tests/unit/results"),
    ),
    Break(
        "first exposure counts",
        f"{DOMAIN}/ledger/reference.py",
        r"if event\.in_senders_order < known\.in_senders_order:",
        r"if event.in_senders_order > known.in_senders_order:",
        ("tests/unit/ledger",),
    ),
    Break(
        "endpoints are disabled after three",
        f"{DOMAIN}/webhooks/health.py",
        r"^DISABLED_AFTER = 3$",
        "DISABLED_AFTER = 4",
        ("tests/unit/webhooks", "tests/integration/worker_webhooks"),
    ),
    Break(
        "signature of webhooks",
        f"{DOMAIN}/webhooks/envelope.py",
        r"\{delivery_id\}\.\{at\}\.",
        "{at}.{delivery_id}.",
        ("tests/unit/webhooks",),
    ),
    Break(
        "revoked keys are dead",
        f"{DOMAIN}/credentials/api_keys.py",
        r"self\.revoked_at is None and ",
        "",
        ("tests/unit/credentials", "tests/integration/api_settings/test_keys.py"),
    ),
    Break(
        "signatures are compared",
        f"{DOMAIN}/credentials/signing.py",
        r"return hmac\.compare_digest\(",
        "return True or hmac.compare_digest(",
        ("tests/unit/ingest", "tests/unit/edge"),
    ),
    Break(
        "metadata services are refused",
        f"{DOMAIN}/egress/networks.py",
        r'^    \("169\.254\.0\.0/16".*\n',
        "",
        ("tests/unit/egress", "tests/unit/outbound_http"),
    ),
    Break(
        "a new rollout is measured from its start",
        f"{DOMAIN}/personalizations/editing.py",
        r"epoch = before\.measurement_epoch \+ 1",
        "epoch = before.measurement_epoch",
        ("tests/unit/personalizations", "tests/integration/api_personalizations"),
    ),
    Break(
        "If-Match",
        "shared/abtest/services/retries.py",
        r"actual not in accepted",
        "actual < min(accepted, default=actual)",
        ("tests/unit/aggregates",),
    ),
    Break(
        "every change is audited",
        "shared/abtest/services/aggregates.py",
        r"Commit\(audit=audit\)",
        "Commit(audit=[])",
        ("tests/unit/aggregates",),
    ),
    Break(
        "names are given back",
        "shared/abtest/services/names.py",
        r"self\.before\.own - self\.after\.own",
        "self.after.own - self.before.own",
        ("tests/unit/aggregates",),
    ),
    Break(
        "rate limits",
        "shared/abtest/adapters/token_bucket.py",
        r"full_at > self\.latest",
        "full_at >= self.latest",
        ("tests/unit/adapters", "tests/contract/test_rate_limiter.py"),
    ),
    Break(
        "the shop is part of every key",
        "shared/abtest/adapters/dynamo/keys.py",
        r'return f"S#\{shop_id\}#\{kind\}"',
        'return f"S##{kind}"',
        ("tests/contract/test_catalog_records.py",),
    ),
    Break(
        "cursors are signed",
        "shared/abtest/http/paging.py",
        r"is_ours = hmac\.compare_digest\(mac, ",
        "is_ours = True or hmac.compare_digest(mac, ",
        ("tests/unit/http",),
    ),
    Break(
        "unknown properties are refused",
        "shared/abtest/contract/base.py",
        r'extra="forbid", strict=True, allow_inf_nan',
        'extra="ignore", strict=True, allow_inf_nan',
        ("tests/unit/contract", "tests/integration/bad_input"),
    ),
    Break(
        "configs are cached for 30 seconds",
        "shared/abtest/edge/delivery.py",
        r'"CDN-Cache-Control": "max-age=30"',
        '"CDN-Cache-Control": "max-age=3000"',
        ("tests/unit/edge",),
    ),
    Break(
        "references of CSS stay within an SVG",
        f"{DOMAIN}/assets/svg_css.py",
        r"functions is FUNCTIONS and _REFERENCE\.fullmatch\(token\.value\) is not None",
        "True",
        ("tests/unit/assets",),
    ),
    Break(
        "animations change no address",
        f"{DOMAIN}/assets/svg.py",
        r"values\.get\(\"attributeName\"\) not in ANIMATED",
        "False",
        ("tests/unit/assets",),
    ),
    Break(
        "pixels are counted before they are decoded",
        "shared/abtest/adapters/images/reading.py",
        r"width \* height > MAX_PIXELS",
        "width < 0",
        ("tests/contract/test_images.py",),
    ),
    Break(
        "pictures do not say where they were taken",
        "shared/abtest/adapters/images/pillow.py",
        r"upright\.info = \{\}",
        'options["exif"] = source.info.get("exif", b"")',
        ("tests/contract/test_images.py",),
    ),
    Break(
        "robots.txt is obeyed",
        "shared/abtest/services/profiles/visitor.py",
        r"if not robots\.allows\(target\.url\):",
        "if False:",
        ("tests/unit/profiles",),
    ),
    Break(
        "a profile run stays on the shop's hosts",
        "shared/abtest/services/profiles/visitor.py",
        r'target\.host == own or target\.host\.endswith\(f"\.\{own\}"\)',
        "target.host.endswith(own)",
        ("tests/unit/profiles",),
    ),
    Break(
        "no platform without enough evidence",
        f"{DOMAIN}/profiles/signatures.py",
        r"^ENOUGH = 0\.8",
        "ENOUGH = 0.3",
        ("tests/unit/profiles",),
    ),
    Break(
        "a run never overrules a person",
        f"{DOMAIN}/profiles/learning.py",
        r'if earlier is not None and earlier\.status != "suggested":',
        "if False:",
        ("tests/unit/profiles",),
    ),
)


def failing_test(project: Path, tests: Sequence[str]) -> str | None:
    """Run the tests: the first that fails, None when all pass. Raises ValueError when pytest cannot run them."""
    done = run_module(project, "pytest", "-q", "-x", "-p", "no:cacheprovider", "--tb=no", *tests)
    if done.returncode not in (0, 1):
        raise ValueError(f"pytest ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return failed.group(1) if failed else None


def test_that_finds(project: Path, each: Break) -> str | None:
    """Break the rule and run its tests: the first that fails, None when all pass."""
    path = project / each.path
    source = path.read_text()
    path.write_text(each.applied(source))
    try:
        return failing_test(project, each.tests)
    finally:
        path.write_text(source)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the breaks and print which test found each; 1 unless all were found."""
    parser = argparse.ArgumentParser(prog="make breaks", description=__doc__)
    parser.add_argument("--only", help="part of a rule's name")
    given = parser.parse_args(arguments)
    chosen = [each for each in BREAKS if given.only is None or given.only in each.rule]
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        copy_project(project)
        for tests in dict.fromkeys(each.tests for each in chosen):
            if failed := failing_test(project, tests):
                print(f"fails without a break: {failed}")
                missed.append(failed)
        for number, each in enumerate(chosen, 1):
            began = time.monotonic()
            test = test_that_finds(project, each)
            missed += [] if test else [each.rule]
            outcome = test or "NOT FOUND"
            print(f"{number:2}/{len(chosen)} {each.rule}: {outcome} ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"{len(chosen) - len(missed)} passed, {len(missed)} failed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
