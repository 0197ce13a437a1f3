"""Removal of files: of deleted assets after 30 days, of assets never completed, of pictures with their job."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from abtest.domain.assets.model import Asset, kept, prefix_of
from abtest.domain.changes.change import Change
from abtest.ports.asset_files import AssetFiles
from abtest.ports.blobs import BlobsUnavailableError
from abtest.ports.catalog import Commit, DueEntry, Remove, StaleVersionError
from abtest.services.assets.records import ASSETS, AssetStore
from abtest.services.assets.shown import is_shown
from abtest.services.assets.trash import WORK_QUEUE
from abtest.services.context import World
from abtest.services.experiments.system import SYSTEM_USER_ID

ASSETS_A_RUN = 50

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OverdueFiles:
    """One pass over all notes that are due; one that fails is left to the next run."""

    world: World
    files: AssetFiles

    def run(self, check: Callable[[], None] = lambda: None) -> int:
        """Return the number of assets that were expired, or whose files were removed.

        `check` is called before each asset and ends the run by its exception.
        """
        finished = 0
        for entry in self.world.catalog.due(WORK_QUEUE, self.world.now(), limit=ASSETS_A_RUN):
            check()
            finished += self.finish(entry)
        return finished

    def _ended(self, asset: Asset) -> Change[Asset]:
        """The end of an asset whose note is due; a picture that is shown somewhere stays."""
        if asset.made_by is not None and is_shown(self.world.catalog, asset):
            return Change(before=asset, after=kept(asset), action="asset.keep")
        return Change(before=asset, after=None, action="asset.expire")

    def finish(self, entry: DueEntry) -> bool:
        """Expire an asset that was never completed or whose job is gone, or remove the files of one that is gone."""
        try:
            note = self.world.catalog.get(entry.shop_id, "TRASH", entry.id)
            # The index may lag behind the record, which decides.
            if note is None or note.head.due[WORK_QUEUE] > self.world.now():
                return False
            record = self.world.catalog.get(entry.shop_id, "ASSET", entry.id)
            if record is not None:
                # The files of one that expires follow as those of any deleted one.
                AssetStore(self.world).save(SYSTEM_USER_ID, self._ended(ASSETS.from_record(record)))
                return True
            # The files first: a run that ends in between finds the note again.
            for key in list(self.files.keys(prefix_of(entry.id))):
                self.files.delete(key)
            self.world.catalog.commit(Commit(removes=[Remove(head=note.head)]))
        except StaleVersionError:
            return False  # another process changed the asset just now
        except BlobsUnavailableError:
            _log.warning("asset.files_kept", extra={"asset_id": entry.id}, exc_info=True)
            return False
        except Exception:
            # A damaged record, or access denied: the entries after this one must not wait until it is repaired.
            _log.exception("asset.files_kept", extra={"asset_id": entry.id})
            return False
        return True
