"""Sources of a publication in the catalog. A stored item that cannot be read is left out and stops nothing else."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from abtest.domain.delivery.config import Stored
from abtest.domain.exclusion_groups.documents import exclusion_group_from
from abtest.domain.experiments.model import Experiment
from abtest.domain.flags.model import Flag
from abtest.domain.pages.model import experiment_name
from abtest.domain.personalizations.model import Personalization
from abtest.domain.reusable.references import placed_references
from abtest.domain.settings.runtime import PUBLISHED, RuntimeSettings, settings_from
from abtest.domain.signals.model import trigger_from
from abtest.domain.targeting.compilation import References
from abtest.kit.documents import decode
from abtest.kit.errors import ServiceError
from abtest.ports.catalog import Catalog, Document, Head, Kind, Record

_PAGE = 100
_T = TypeVar("_T")

_NAMES: dict[Kind, str] = {
    "EXP": "experiment",
    "PZN": "personalization",
    "FLAG": "flag",
    "GRP": "exclusion group",
    "PAGE": "page",
    "AUD": "audience",
    "DLT": "data-layer trigger",
}


@dataclass(slots=True)
class Sources:
    """Reader of one shop. `left_out` names the items that could not be read, with reasons."""

    catalog: Catalog
    shop_id: str
    left_out: list[str] = field(default_factory=list)
    _unread: set[str] = field(default_factory=set)

    def stored(self) -> Stored:
        """Read all that may be delivered: running or active parts, paused flags, groups, pages and audiences in use."""
        experiments = self._all(
            "EXP", lambda head: head.status == "running" and not head.archived_at, partial(decode, Experiment)
        )
        personalizations = self._all("PZN", lambda head: head.status == "active", partial(decode, Personalization))
        flags = self.flags(lambda head: head.status in ("active", "paused"))
        return self.around(experiments, personalizations, flags)

    def around(
        self,
        experiments: Sequence[Experiment] = (),
        personalizations: Sequence[Personalization] = (),
        flags: Sequence[Flag] = (),
    ) -> Stored:
        """Read all else that may be delivered with these parts: groups, triggers, pages and audiences in use."""
        groups = self._all("GRP", lambda _: True, exclusion_group_from)
        targetings: list[Any] = [flag.targeting for flag in flags]
        for experiment in experiments:
            targetings += (experiment.targeting, {"pageRules": experiment.goal_page_rules})
        for personalization in personalizations:
            targetings += (personalization.targeting, *(rule.targeting for rule in personalization.rules))
        return Stored(
            experiments=experiments,
            personalizations=personalizations,
            flags=flags,
            groups=groups,
            # By the head's status: bodies of disabled triggers are not read at all.
            triggers=self._all("DLT", lambda head: head.status == "enabled", trigger_from),
            references=self.references(targetings),
            served=self._served(experiments),
        )

    def settings(self) -> RuntimeSettings:
        """Read the runtime settings. One that cannot be read raises, because nothing is published without it."""
        records = self.catalog.get_many(self.shop_id, "SET", PUBLISHED)
        return settings_from({record.head.id: record.body for record in records})

    def flags(self, admits: Callable[[Head], bool]) -> list[Flag]:
        """Read the flags whose head is admitted."""
        return self._all("FLAG", admits, partial(decode, Flag))

    def references(self, targetings: Iterable[Document | None]) -> References:
        """Read the pages and audiences that these targetings name."""
        given = [each for each in targetings if isinstance(each, Mapping)]
        return References(
            pages=self._documents("PAGE", (name for each in given for _, name in placed_references(each, "pageRules"))),
            audiences=self._documents(
                "AUD", (name for each in given for _, name in placed_references(each, "segmentRules"))
            ),
        )

    def _served(self, experiments: Sequence[Experiment]) -> frozenset[str]:
        """Return those that a landing page has claimed."""
        ids = {experiment_name(each.id): each.id for each in experiments}
        claimed = self.catalog.resolve_many(self.shop_id, sorted(ids)) if ids else {}
        return frozenset(ids[name] for name in claimed)

    def _all(self, kind: Kind, admits: Callable[[Head], bool], made: Callable[[Document], _T]) -> list[_T]:
        # Heads are read consistently, while the work index may lag behind the commit just made.
        items: list[_T] = []
        for heads in self._pages(kind):
            for record in self._records(kind, [head.id for head in heads if admits(head)]):
                try:
                    items.append(made(record.body))
                except Exception as error:
                    self._leave_out(kind, record.head.id, error)
        return items

    def _documents(self, kind: Kind, names: Iterable[str]) -> dict[str, Any]:
        """By id, in the shape that the kind was stored in.

        One that cannot be read is empty, so that its consumers are left out: its exclusions are unknown.
        """
        unique = sorted(set(names))
        batches = (unique[start : start + _PAGE] for start in range(0, len(unique), _PAGE))
        documents = {record.head.id: record.body for batch in batches for record in self._records(kind, batch)}
        return {name: {} for name in unique if name in self._unread} | documents

    def _pages(self, kind: Kind) -> Iterator[Sequence[Head]]:
        after: str | None = None
        while True:
            page = self.catalog.list(self.shop_id, kind, limit=_PAGE, after_id=after)
            yield page.heads
            after = page.last_id
            if after is None:
                return

    def _records(self, kind: Kind, ids: Sequence[str]) -> list[Record]:
        try:
            return self.catalog.get_many(self.shop_id, kind, ids) if ids else []
        except ServiceError:
            raise
        except Exception:  # one of them is broken, so each is read alone
            return [record for one in ids for record in self._one(kind, one)]

    def _one(self, kind: Kind, record_id: str) -> list[Record]:
        try:
            record = self.catalog.get(self.shop_id, kind, record_id)
        # A busy database is not a broken item: to leave it out would publish the shop without it.
        except ServiceError:
            raise
        except Exception as error:
            self._leave_out(kind, record_id, error)
            return []
        return [] if record is None else [record]

    def _leave_out(self, kind: Kind, record_id: str, error: Exception) -> None:
        self._unread.add(record_id)
        self.left_out.append(f"{_NAMES[kind]} {record_id} cannot be read: {type(error).__name__}: {error}")
