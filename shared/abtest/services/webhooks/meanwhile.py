"""Work on other messages while a receiver keeps a worker waiting.

A worker that waits for an endpoint needs no CPU, but its place among the workers is taken. So while a message is not
carried out, its worker takes further messages from the same queue and carries them out as well. Endpoints that hang
then occupy some of its `AT_A_TIME` places, and not the worker.
"""

import logging
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from abtest.kit.ids import Randomness
from abtest.ports.queue import QueueUnavailableError, ReceivedMessage, ReceivingQueue

AT_A_TIME = 16
"""Messages that one worker carries out at a time, its own among them."""

SOON_SECONDS = 0.1
"""A message that takes longer makes its worker look for others, this often at first."""

PATIENT_SECONDS = 1.0
"""After this time the worker waits at the queue, so long for each message: its own end may be noticed so much later."""

TAKES_SECONDS = 10.0, 30.0
"""Shortest and longest time for which a worker takes messages. What it took last may need a minute more.

It differs by chance, so that workers which began together do not all stop taking at once.
"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meanwhile:
    """Worker on several messages. `work` carries out one body; it is called by several threads."""

    work: Callable[[str], object]
    queue: ReceivingQueue
    random: Randomness
    clock: Callable[[], float] = time.monotonic

    def carry_out(self, body: str) -> None:
        """Carry out a message, and others while it lasts; return when all have ended. Raises what `work` raises for it.

        Another message that fails stays in the queue, which repeats it.
        """
        began = self.clock()
        shortest, longest = TAKES_SECONDS
        until = began + shortest + (longest - shortest) * self.random.bits(16) / 2**16
        with ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="message") as pool:
            own = pool.submit(self.work, body)
            unended, pause = set[Future[object]]([own]), SOON_SECONDS
            while unended := wait(unended, timeout=pause).not_done:
                pause = 0.0
                if self.clock() >= until:
                    wait(unended)
                elif len(unended) >= AT_A_TIME:
                    wait(unended, return_when=FIRST_COMPLETED)
                else:
                    is_patient = self.clock() - began >= PATIENT_SECONDS
                    message = self.taken(PATIENT_SECONDS if is_patient else 0.0)
                    if message is not None:
                        unended.add(pool.submit(self.carry_out_other, message))
                    elif not is_patient:
                        pause = SOON_SECONDS
        own.result()

    def taken(self, seconds: float) -> ReceivedMessage | None:
        """Take a message, or return None when there is none for so long, or the queue does not respond."""
        try:
            return self.queue.receive(wait_seconds=int(seconds))
        except QueueUnavailableError:
            _log.warning("webhook.no_message_taken", exc_info=True)
            time.sleep(SOON_SECONDS)
            return None

    def carry_out_other(self, message: ReceivedMessage) -> None:
        """Carry out a message that was taken, and remove it from the queue."""
        try:
            self.work(message.body)
            self.queue.delete(message)
        except Exception:
            _log.exception("webhook.taken_message_failed")
