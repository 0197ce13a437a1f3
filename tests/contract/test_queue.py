"""Queues: what is sent waits."""

import pytest

from abtest.adapters.sqs import SqsQueue
from abtest.ports.queue import QueueMessage, QueueUnavailableError, ReceivedMessage
from tests.contract.conftest import Ports
from tests.support.moto_stack import AwsStack


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


def test_send_many__more_than_a_call_takes__all_wait_in_the_queue(ports: Ports) -> None:
    ports.queue.send_many([])
    assert ports.queue.depth() == 0
    ports.queue.send_many([QueueMessage(body=f'{{"n":{number}}}', group=f"shop-{number % 3}") for number in range(23)])
    assert ports.queue.depth() == 23


def test_send_many__larger_than_a_call_together__all_wait_in_the_queue(ports: Ports) -> None:
    ports.queue.send_many([QueueMessage(body="x" * 600_000) for _ in range(3)])
    assert ports.queue.depth() == 3


def test_send_many__with_one_over_one_mebibyte__is_refused(ports: Ports) -> None:
    with pytest.raises(QueueUnavailableError):
        ports.queue.send_many([QueueMessage(body="é" * 600_000)])
    assert ports.queue.depth() == 0


def test_send__with_a_group__waits_in_the_queue(ports: Ports) -> None:
    ports.queue.send("body", group="endpoint-a")
    assert ports.queue.depth() == 1


def test_receive__message__is_hidden_until_it_is_deleted(aws_stack: AwsStack) -> None:
    queue = SqsQueue(aws_stack.name("WebhookQueue"))
    assert queue.receive(wait_seconds=0) is None
    queue.send("one", group="endpoint-a")
    received = queue.receive(wait_seconds=1)
    assert received is not None
    assert received.body == "one"
    assert queue.receive(wait_seconds=0) is None
    queue.delete(received)
    assert queue.depth() == 0


def test_receive__of_a_queue_that_is_gone__is_unavailable(aws_stack: AwsStack) -> None:
    queue = SqsQueue(aws_stack.name("WebhookQueue") + "-gone")
    with pytest.raises(QueueUnavailableError):
        queue.receive(wait_seconds=0)
    with pytest.raises(QueueUnavailableError):
        queue.delete(ReceivedMessage(body="one", receipt="r"))
