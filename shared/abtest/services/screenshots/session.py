"""Shots of one attempt: pages are open in threads, and their outcomes are recorded in one."""

from collections import deque
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlsplit

from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.model import Asset, AssetUse, MadeBy
from abtest.domain.jobs.model import Job
from abtest.domain.screenshots.order import ScreenshotOrder, Shot, asset_id_of, planned
from abtest.domain.screenshots.outcomes import Film, Outcome, film_document, film_from, missed
from abtest.kit.errors import LimitReachedError, NotFoundError
from abtest.ports.browser import PageFailedError
from abtest.ports.browser import Picture as Image
from abtest.ports.catalog import Commit
from abtest.services.assets.pictures import Picture, Pictures
from abtest.services.context import World
from abtest.services.jobs import Attempt, put_of
from abtest.services.screenshots.visits import Visits

AT_ONCE = 2
"""Pages that are open at the same time."""

ALLOTTED = timedelta(minutes=12)
"""Time in which an attempt begins shots; the function has three minutes more for those that it began."""

MAX_NAME = 200
LOST = "the browser ended twice while it had the page open"
DELETED = "the variation was deleted"


class Session:
    """Shots that one attempt takes.

    An attempt after the first is careful: it takes one shot at a time and notes which. If it dies too, the next attempt
    leaves that shot out, so that a page which ends the browser costs its own picture only.
    """

    def __init__(
        self,
        world: World,
        attempt: Attempt,
        visits: Visits,
        pictures: Pictures,
        order: ScreenshotOrder,
        variation_names: Mapping[str | None, str],
    ) -> None:
        self._world = world
        self._attempt = attempt
        self._visits = visits
        self._pictures = pictures
        self._order = order
        self._names = variation_names
        self._shots = planned(order)
        self._is_careful = attempt.job.attempts > 1
        self._ends = world.clock.now() + ALLOTTED
        # Not read from the job again: the heartbeat stores the job too.
        self._film = film_from(attempt.job.result)

    def shoot(self) -> Film:
        """Take the missing shots while there is time, and return all outcomes. Raises JobLostError."""
        waiting = deque(self._film.missing(self._shots))
        if waiting and waiting[0].place == self._film.at:
            self._note(missed(waiting.popleft(), LOST))
        running: dict[Future[Image], Shot] = {}
        with ThreadPoolExecutor(1 if self._is_careful else AT_ONCE, thread_name_prefix="shot") as pool:
            while self._begin(pool, running, waiting):
                done = wait(running, return_when=FIRST_COMPLETED).done
                finished = [(running.pop(future), future) for future in done]
                if not self._is_careful:
                    self._begin(pool, running, waiting)  # these pages load while the others are stored
                for shot, future in finished:
                    self._record(shot, future)
        return self._film

    def _begin(self, pool: ThreadPoolExecutor, running: dict[Future[Image], Shot], waiting: deque[Shot]) -> bool:
        """Open pages as far as allowed. Return whether any is open."""
        most = 1 if self._is_careful else AT_ONCE
        while waiting and len(running) < most and self._world.clock.now() < self._ends:
            shot = waiting.popleft()
            try:
                self._pictures.refuse_full(self._attempt.job.shop_id)
            except LimitReachedError as error:
                self._note(missed(shot, error.message))
                continue
            if self._is_careful:
                self._store(replace(self._film, at=shot.place))
            running[pool.submit(self._visits.picture, shot)] = shot
        return bool(running)

    def _record(self, shot: Shot, future: Future[Image]) -> None:
        """Store the picture of a shot, or the reason why there is none."""
        try:
            self._keep(shot, future.result())
        except PageFailedError as error:
            self._note(missed(shot, f"the page {error.reason}"))
        except NotFoundError:
            self._note(missed(shot, DELETED))
        except (InvalidAssetError, LimitReachedError) as error:
            self._note(missed(shot, error.message))

    def _keep(self, shot: Shot, image: Image) -> None:
        job, committed = self._attempt.job, list[Film]()
        experiment_id = self._order.experiment_id

        def with_outcome(asset: Asset) -> Commit:
            film = self._film.with_outcome(_outcome(shot, asset, image))
            committed[:] = [film]
            return Commit(puts=[put_of(self._noted(film))])

        asset = self._pictures.store(
            Picture(
                asset_id=asset_id_of(job.id, shot.place),
                shop_id=job.shop_id,
                user_id=job.created_by,
                name=self._name(shot),
                file_name=_file_name(shot),
                png=image.png,
                made_by=MadeBy(
                    job_id=job.id, shown_by=AssetUse(kind="EXP", id=experiment_id) if experiment_id else None
                ),
            ),
            with_outcome,
        )
        if committed:
            self._film = committed[0]
        else:  # an earlier attempt stored it
            self._note(_outcome(shot, asset, image))

    def _note(self, outcome: Outcome) -> None:
        self._store(self._film.with_outcome(outcome))

    def _store(self, film: Film) -> None:
        self._attempt.note(film_document(film), film.progress(self._shots))
        self._film = film

    def _noted(self, film: Film) -> Job:
        return self._attempt.noted(film_document(film), film.progress(self._shots))

    def _name(self, shot: Shot) -> str:
        """Return the name of an asset for people."""
        parts, viewport = urlsplit(shot.url), shot.viewport
        variation = self._names.get(shot.variation_id)
        name = f"{parts.netloc}{parts.path}, {viewport.width} x {viewport.height}"
        return (f"{variation}: {name}" if variation else name)[:MAX_NAME]


def _file_name(shot: Shot) -> str:
    return f"{urlsplit(shot.url).hostname}-{shot.viewport.width}x{shot.viewport.height}-{shot.place + 1:02d}.png"


def _outcome(shot: Shot, asset: Asset, image: Image) -> Outcome:
    return Outcome(
        place=shot.place,
        asset_id=asset.id,
        file_key=asset.file_key,
        width=asset.width,
        height=asset.height,
        sha256=asset.sha256,
        is_truncated=image.is_truncated,
    )
