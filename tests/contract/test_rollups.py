"""Roll-ups: an older generation never replaces a newer one."""

from functools import partial
from typing import Any

from tests.contract.conftest import Ports
from tests.contract.records import concurrent, race


def _document(generation: int, epoch: int = 1, **extra: Any) -> dict[str, Any]:
    return {"experiment_id": "e", "measurement_epoch": epoch, "generation": generation, **extra}


def test_get__nothing_counted__is_none(ports: Ports) -> None:
    assert ports.rollups.get("e", 1) is None


def test_put__rising_generations__replace(ports: Ports) -> None:
    assert ports.rollups.put(_document(1, goals={"é": {"sum_squares_minor": "1" * 30}}))
    assert ports.rollups.put(_document(3, goals={"g": {"rate": 0.25, "sum_minor": 10**15}}))
    assert ports.another().rollups.get("e", 1) == _document(3, goals={"g": {"rate": 0.25, "sum_minor": 10**15}})


def test_put__same_or_older_generation__is_refused(ports: Ports) -> None:
    ports.rollups.put(_document(5, by="first"))
    assert not ports.rollups.put(_document(5, by="second"))
    assert not ports.rollups.put(_document(4, by="third"))
    assert ports.rollups.get("e", 1) == _document(5, by="first")


def test_epochs__of_one_experiment__are_apart(ports: Ports) -> None:
    ports.rollups.put(_document(9, epoch=1))
    assert ports.rollups.put(_document(1, epoch=2))
    assert ports.rollups.get("e", 1) == _document(9, epoch=1)
    assert ports.rollups.get("other", 1) is None


@concurrent
def test_put__generations_racing__the_newest_stays(ports: Ports) -> None:
    for turn in range(5):
        generations = range(turn * 10 + 1, turn * 10 + 6)
        race(*(partial(ports.rollups.put, _document(generation)) for generation in generations))
        assert ports.rollups.get("e", 1) == _document(turn * 10 + 5)
