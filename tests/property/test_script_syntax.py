"""What the checker lets in, engines of shoppers read: Node as old as we support, and Chromium."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from abtest.adapters.scripts import QuickJsChecker
from tests.property.script_samples import BROKEN, PLAIN, SAMPLES, TOO_NEW, YOUNG, mutants
from tests.support.browser import browsers

ANSWERS = Path(__file__).with_name("script_answers.mjs")
CHECKER = QuickJsChecker()
TAKES = "bodies => bodies.map(body => { try { new Function(body); return true } catch { return false } })"


def node(bodies: Sequence[str]) -> list[bool]:
    told = subprocess.run(["node", ANSWERS], input=json.dumps(bodies), capture_output=True, text=True, check=True)
    answers: list[bool] = json.loads(told.stdout)
    return answers


def chromium(bodies: Sequence[str]) -> list[bool]:
    page = browsers.get(is_whole=False).new_page()
    answers: list[bool] = page.evaluate(TAKES, list(bodies))
    page.close()
    return answers


def let_in(bodies: Sequence[str]) -> list[str]:
    return [body for body in bodies if CHECKER.check(body) is None]


def test_samples__are_many() -> None:
    assert len(SAMPLES) >= 200


@pytest.mark.parametrize("engine", [node, pytest.param(chromium, marks=pytest.mark.browser)])
def test_scripts__that_are_let_in__are_read(engine: type[object]) -> None:
    bodies = [*let_in(SAMPLES), *let_in(mutants(20, 2500))]
    refused = [body for body, taken in zip(bodies, engine(bodies), strict=True) if not taken]  # type: ignore[call-arg,call-overload]
    assert len(bodies) > 250
    assert refused == []


def test_scripts__of_the_sdks_edition__are_let_in_and_share_a_file() -> None:
    ours = [body for body, taken in zip(PLAIN, node(PLAIN), strict=True) if taken]
    assert len(ours) > 50
    assert [(body, str(CHECKER.check(body))) for body in ours if CHECKER.check(body)] == []
    assert [body for body in ours if CHECKER.is_young(body)] == []


def test_scripts__of_later_editions__are_let_in_and_stand_alone() -> None:
    assert let_in(YOUNG) == YOUNG
    assert [body for body in YOUNG if not CHECKER.is_young(body)] == []


@pytest.mark.parametrize("body", TOO_NEW + BROKEN)
def test_scripts__that_some_engine_refuses__are_refused_with_their_place(body: str) -> None:
    error = CHECKER.check(body)
    if error is None:
        assert node([body]) == [True]
        return
    assert error.line is not None
    assert error.column is not None
    assert 1 <= error.line <= body.count("\n") + 1
