"""Queues: what is sent waits."""

import pytest

from abtest.ports.queue import QueueUnavailableError
from tests.contract.conftest import Ports


def test_send__messages__wait_in_the_queue(ports: Ports) -> None:
    assert ports.queue.depth() == 0
    for body in ('{"é":"\\u0000"}', "x" * 900_000):
        ports.queue.send(body)
    assert ports.another().queue.depth() == 2


def test_send__over_one_mebibyte_of_utf8__is_refused(ports: Ports) -> None:
    with pytest.raises(QueueUnavailableError):
        ports.queue.send("é" * 600_000)
    assert ports.queue.depth() == 0


@pytest.mark.parametrize("delay", [-1, 901])
def test_send__delay_out_of_range__is_a_mistake_of_the_caller(ports: Ports, delay: int) -> None:
    with pytest.raises(ValueError, match="delay"):
        ports.queue.send("body", delay_seconds=delay)
