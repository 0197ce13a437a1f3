"""Install domains: the shop's own host and further ones, each claimed in the whole service while the shop has it.

A commit has room for a hundred stored items, fewer than fifty-one hosts exchanged for fifty-one others take. So the
record also says which hosts the shop `held`: what the first commit does not give back, a second one does, or the next
write, should the process die between the two.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from abtest.contract import runtime_settings as contract
from abtest.domain.settings.install_domains import InstallDomains, claim_name, refuse_doubles
from abtest.domain.settings.runtime import INSTALL_DOMAINS
from abtest.domain.settings.shop import Shop
from abtest.kit.errors import ConflictError, DatabaseBusyError, FieldError
from abtest.ports.catalog import MAX_COMMIT_ITEMS, Claim, Commit, Document, NameTakenError, OutboxRow, Put, Release
from abtest.services.context import Caller
from abtest.services.retries import refuse_other_version, retried
from abtest.services.settings.store import Kept, Setting, SettingsStore
from abtest.services.shop_records import puts_of, read_shop

SETTING = Setting(record_id=INSTALL_DOMAINS, verb="update_install_domains", untouched={"additional": [], "held": []})
UNWRITTEN = "initial"
"""The revision of what was never written."""

_ITEMS_BESIDE_NAMES = 11
"""Of a commit: two of the setting, six of the shop, two of the audit, one of the outbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """The shop and the setting, read one after the other; the commit finds out whether they belong together."""

    shop: Shop
    kept: Kept

    @property
    def domains(self) -> InstallDomains:
        return InstallDomains(domain=self.shop.domain, additional=tuple(self.kept.document["additional"]))

    @property
    def held(self) -> frozenset[str]:
        return frozenset(self.kept.document["held"])

    @property
    def revision(self) -> str:
        return self.kept.revision or UNWRITTEN


class InstallDomainSettings:
    """The use cases."""

    def __init__(self, store: SettingsStore) -> None:
        self._store = store

    def get(self, caller: Caller) -> contract.InstallDomainsResponse:
        """The hosts of the shop."""
        return _answer(self._read(caller.shop_id))

    def update(
        self, caller: Caller, wish: contract.UpdateInstallDomains, expected_version: int | None
    ) -> contract.InstallDomainsResponse:
        """Replace what is stated: the shop's domain changes with it.

        Raises RevisionConflictError, VersionConflictError, ValidationFailedError, and ConflictError for a host that
        another shop has.
        """

        def attempt() -> OutboxRow | None:
            state = self._read(caller.shop_id)
            refuse_other_version(expected_version, state.kept.version)
            if state.kept.revision is not None or wish.expected_revision not in (None, state.revision):
                state.kept.refuse_other(wish.expected_revision)
            wanted = _wanted(state.domains, wish)
            refuse_doubles(wanted)
            if state.kept.version and wanted == state.domains:
                return None
            return self._write(caller, state, wanted)

        row = retried(attempt)
        with contextlib.suppress(DatabaseBusyError):  # the write stands; the next one gives back what remains
            retried(lambda: self._give_back(caller.shop_id))
        answer = self.get(caller)
        answer.precompile = self._store.publish(caller.shop_id, row)
        return answer

    def _read(self, shop_id: str) -> _State:
        shop = read_shop(self._store.world.catalog, shop_id)
        return _State(shop=shop, kept=self._store.read(shop_id, SETTING))

    def _write(self, caller: Caller, state: _State, wanted: InstallDomains) -> OutboxRow:
        world, now = self._store.world, self._store.world.now()
        shop = state.shop.changed({"domain": wanted.domain}, now)
        fresh = sorted(set(wanted.hosts) - state.held)
        room = MAX_COMMIT_ITEMS - _ITEMS_BESIDE_NAMES - len(fresh)
        gone = sorted(state.held - set(wanted.hosts))[:room]
        held = sorted(state.held.union(fresh).difference(gone))
        kept = state.kept.written({"additional": list(wanted.additional), "held": held}, now)
        row = world.publish_row(shop.id)
        audit = self._store.audit(caller, SETTING.verb, _shown(state.domains), _shown(wanted))
        commit = Commit(
            puts=[self._put(shop.id, kept), *(puts_of(shop) if shop != state.shop else [])],
            claims=[_claim(shop.id, host) for host in fresh],
            releases=_releases(gone),
            audit=[audit],
            outbox=[row],
        )
        try:
            world.catalog.commit(commit)
        except NameTakenError as error:
            raise _taken(error, wanted) from error
        return row

    def _give_back(self, shop_id: str) -> None:
        """Hold no host that the shop does not have; the revision stays."""
        state = self._read(shop_id)
        rest = sorted(state.held.difference(state.domains.hosts))
        if not rest:
            return
        document = {**state.kept.document, "held": sorted(state.held.difference(rest))}
        kept = replace(state.kept, document=document, version=state.kept.version + 1)
        self._store.world.catalog.commit(Commit(puts=[self._put(shop_id, kept)], releases=_releases(rest)))

    def _put(self, shop_id: str, kept: Kept) -> Put:
        return self._store.put(shop_id, SETTING, kept)


def _wanted(before: InstallDomains, wish: contract.UpdateInstallDomains) -> InstallDomains:
    stated = wish.stated()
    return InstallDomains(
        domain=stated.get("domain", before.domain),
        additional=tuple(stated.get("additionalDomains", before.additional)),
    )


def _claim(shop_id: str, host: str) -> Claim:
    return Claim(scope=None, name=claim_name(host), target_id=shop_id, target_shop_id=shop_id)


def _releases(hosts: Sequence[str]) -> list[Release]:
    return [Release(scope=None, name=claim_name(host)) for host in hosts]


def _taken(error: NameTakenError, wanted: InstallDomains) -> ConflictError:
    places = {claim_name(host): f"additionalDomains[{index}]" for index, host in enumerate(wanted.additional)}
    place = places.get(error.name, "domain")
    return ConflictError(
        "another shop has this host", fields=[FieldError(place, "belongs to another shop; ask support if it is yours")]
    )


def _shown(domains: InstallDomains) -> Document:
    return {"domain": domains.domain, "additionalDomains": list(domains.additional)}


def _answer(state: _State) -> contract.InstallDomainsResponse:
    domains = state.domains
    return contract.InstallDomainsResponse(
        shop_id=state.shop.id,
        domain=domains.domain,
        additionalDomains=list(domains.additional),
        storeOrigins=domains.origins,
        revision=state.revision,
    ).at(state.kept.version)
