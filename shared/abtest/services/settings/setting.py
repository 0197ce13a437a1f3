"""A runtime setting that is one dataclass: read, decide, respond. Subclasses declare what differs between settings."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from abtest.contract.base import Output
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode, encode
from abtest.ports.catalog import Commit, Document
from abtest.services.context import Caller
from abtest.services.retries import Versions, refuse_other_version
from abtest.services.settings.store import Check, Kept, Setting, SettingsStore

S = TypeVar("S")
R = TypeVar("R", bound=Output)


class RuntimeSetting(ABC, Generic[S, R]):
    """Use cases that settings share: `S` is the setting in the domain, `R` the response that shows it."""

    record_id: str
    verb: str
    """The verb of its audit rows."""
    untouched: S
    """The value while the shop has not written it."""

    def __init__(self, store: SettingsStore) -> None:
        self._store = store
        self._setting = Setting(
            record_id=self.record_id, verb=self.verb, untouched=encode(self.untouched), shown=self._audited
        )

    @abstractmethod
    def response(self, value: S, revision: Timestamp | None) -> R:
        """Return the setting as the contract shows it."""

    @abstractmethod
    def audited(self, response: R) -> Output:
        """Return the part of the response that the audit compares."""

    def get(self, caller: Caller) -> R:
        """Return the setting of the shop."""
        return self._response(self._store.read(caller.shop_id, self._setting))

    def value(self, shop_id: str) -> S:
        """Return the setting as the domain has it."""
        return self._value(self._store.read(shop_id, self._setting).document)

    def change(
        self,
        caller: Caller,
        decide: Callable[[S], S],
        *,
        expected_version: Versions = None,
        check: Check = lambda _: None,
        publishes: bool = True,
        companions: Callable[[S], Commit] = lambda _: Commit(),
    ) -> R:
        """Replace the setting by what `decide` makes of it, with its `companions`, then publish.

        Raises VersionConflictError, and what `check` and `decide` raise.
        """

        def refuse_stale(kept: Kept) -> None:
            refuse_other_version(expected_version, kept.version)
            check(kept)

        kept, precompile = self._store.change(
            caller,
            self._setting,
            lambda document: encode(decide(self._value(document))),
            refuse_stale,
            publishes=publishes,
            companions=lambda document: companions(self._value(document)),
        )
        response = self._response(kept)
        return response if precompile is None else response.model_copy(update={"precompile": precompile})

    def _value(self, document: Document) -> S:
        # The type of the default is the dataclass: a type variable is gone at run time.
        return decode(type(self.untouched), document)

    def _response(self, kept: Kept) -> R:
        return self.response(self._value(kept.document), kept.revision).at(kept.version)

    def _audited(self, document: Document) -> Document:
        return self.audited(self.response(self._value(document), None)).model_dump()
