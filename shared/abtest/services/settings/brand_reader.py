"""Worker of brand files: the text of each is read, and all results are stored with the end of the job.

An attempt that dies leaves the context as it was, and the next one reads the files again. A result counts only for an
excerpt that waits for this job, so a job whose files were replaced meanwhile changes nothing.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from abtest.domain.assets.model import Asset
from abtest.domain.brand.context import RECORD_ID, BrandContext
from abtest.domain.brand.excerpts import Reading, attached, waiting_for
from abtest.domain.jobs.model import Job, JobLostError
from abtest.kit.documents import decode, encode
from abtest.ports.asset_files import StoredFiles
from abtest.ports.catalog import Commit
from abtest.ports.documents import DocumentTexts, UnreadableDocumentError
from abtest.services.assets.records import ASSETS
from abtest.services.brand import read_brand
from abtest.services.context import World
from abtest.services.jobs import Attempt, Workbench
from abtest.services.retries import retried
from abtest.services.settings.store import setting_put, stored_setting

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandReader:
    """Use case of jobs that read brand files."""

    world: World
    bench: Workbench
    files: StoredFiles
    documents: DocumentTexts

    def carry_out(self, message: str) -> None:
        """Read the files of the job that a message names.

        Raises JobHeldError and other errors: the message has to come again.
        """
        attempt = self.bench.take_up(message)
        if attempt is None:
            if failed := self.bench.failed(message):
                self._give_up(failed)
            return
        try:
            with attempt.kept():
                self._read(attempt)
        except JobLostError:
            _log.info("brand_excerpts.lost", extra={"job_id": attempt.job.id})

    def _read(self, attempt: Attempt) -> None:
        asset_ids, readings = attempt.job.request["asset_ids"], dict[str, Reading]()
        for place, asset_id in enumerate(asset_ids):
            attempt.advance(100 * place // len(asset_ids))
            if self._is_waited_for(attempt.job, asset_id):
                readings[asset_id] = self._reading(attempt.job.shop_id, asset_id)
        attempt.complete({}, partial(self._attached, readings))

    def _is_waited_for(self, job: Job, asset_id: str) -> bool:
        context = read_brand(self.world.catalog, job.shop_id)
        return asset_id in waiting_for(context.excerpts, job.id)

    def _reading(self, shop_id: str, asset_id: str) -> Reading:
        record = self.world.catalog.get(shop_id, "ASSET", asset_id)
        content = self._content(ASSETS.from_record(record)) if record else None
        if content is None:
            return Reading(problem="deleted")
        try:
            return Reading(text=self.documents.beginning(content))
        except UnreadableDocumentError as error:
            _log.info("brand_excerpts.unread", extra={"asset_id": asset_id, "problem": error.problem})
            return Reading(problem=error.problem)

    def _content(self, asset: Asset) -> bytes | None:
        opened = self.files.open(asset.file_key, 0, None)
        return opened.read() if opened else None

    def _attached(self, readings: Mapping[str, Reading], job: Job) -> Commit:
        """Return the write of the context with the results. It is read for each try: a person may change it."""
        kept = stored_setting(self.world.catalog, job.shop_id, RECORD_ID)
        context = decode(BrandContext, kept.document) if kept else BrandContext()
        excerpts = attached(context.excerpts, job.id, readings)
        if kept is None or excerpts == context.excerpts:
            return Commit()
        after = kept.written(encode(replace(context, excerpts=excerpts)), self.world.now())
        return Commit(puts=[setting_put(job.shop_id, RECORD_ID, after)])

    def _give_up(self, job: Job) -> None:
        """Show that the files of a job that failed were not read."""
        readings = dict.fromkeys(job.request["asset_ids"], Reading(problem="given_up"))

        def attempt() -> None:
            commit = self._attached(readings, job)
            if commit.puts:
                self.world.catalog.commit(commit)

        retried(attempt)
