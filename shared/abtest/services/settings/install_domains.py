"""Install domains: the shop's own host and further ones, each claimed in the whole service while the shop has it.

A commit has room for a hundred stored items, fewer than fifty-one hosts exchanged for fifty-one others take. So the
record also has the hosts that the shop `held`: what the first commit does not give back, a second one does, or the next
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
from abtest.ports.catalog import MAX_COMMIT_ITEMS, Claim, Commit, Document, NameTakenError, OutboxRow, Release
from abtest.services.context import Caller
from abtest.services.pages.live_hosts import refuse_hosts_with_pages
from abtest.services.pages.promises import promise_for_hosts
from abtest.services.retries import Versions, refuse_other_version, retried
from abtest.services.settings.store import Kept, Setting, SettingsStore
from abtest.services.shop_records import puts_of, read_shop

SETTING = Setting(record_id=INSTALL_DOMAINS, verb="update_install_domains", untouched={"additional": [], "held": []})
UNWRITTEN = "initial"
"""Revision of a setting that was never written."""

_OTHER_ITEMS = 15
"""Of a commit: two of the setting, six of the shop, five of the audit, two of the outbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """Shop and setting, read one after the other; the commit checks that they belong together."""

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
    """Use cases of install domains."""

    def __init__(self, store: SettingsStore) -> None:
        self._store = store

    def get(self, caller: Caller) -> contract.InstallDomainsResponse:
        """Return the hosts of the shop."""
        state = self._read(caller.shop_id)
        return contract.InstallDomainsResponse(
            shop_id=state.shop.id,
            domain=state.domains.domain,
            additionalDomains=list(state.domains.additional),
            storeOrigins=state.domains.origins,
            revision=state.revision,
        ).at(state.kept.version)

    def update(
        self, caller: Caller, given: contract.UpdateInstallDomains, expected_version: Versions
    ) -> contract.InstallDomainsResponse:
        """Replace the given fields; the shop's domain changes with them.

        Raises RevisionConflictError, VersionConflictError, ValidationFailedError, and ConflictError for a host that
        another shop has or that has landing pages online.
        """
        row_id = self._store.world.audit_row_id()

        def attempt() -> tuple[_State, OutboxRow | None]:
            state = self._read(caller.shop_id)
            if self._store.world.is_stored(caller.shop_id, row_id):
                return state, None
            refuse_other_version(expected_version, state.kept.version)
            # Before the first write the field may be absent or `initial`. Afterwards the revision must be named.
            if state.kept.revision is not None or given.expected_revision not in (None, state.revision):
                state.kept.refuse_other(given.expected_revision, "expected_revision")
            changes = given.provided()
            after = InstallDomains(
                domain=changes.get("domain", state.domains.domain),
                additional=tuple(changes.get("additionalDomains", state.domains.additional)),
            )
            refuse_doubles(after)
            self._refuse_live(state, after)
            # The first write is stored even when it changes nothing, so that the setting has a revision from then on.
            if state.kept.version and after == state.domains:
                return state, None
            return state, self._write(caller, state, after, row_id)

        before, row = retried(attempt)
        with contextlib.suppress(DatabaseBusyError):  # the write is stored; the next one gives back what remains
            retried(lambda: self._give_back(caller.shop_id))
        answer = self.get(caller)
        answer.precompile = self._store.publish(caller.shop_id, row, max(before.revision, before.shop.updated_at))
        return answer

    def _read(self, shop_id: str) -> _State:
        shop = read_shop(self._store.world.catalog, shop_id)
        return _State(shop=shop, kept=self._store.read(shop_id, SETTING))

    def _refuse_live(self, state: _State, after: InstallDomains) -> None:
        gone = set(state.domains.hosts) - set(after.hosts)
        field = "domain" if state.domains.domain in gone else "additionalDomains"
        refuse_hosts_with_pages(self._store.world.catalog, state.shop.id, gone, field)

    def _write(self, caller: Caller, state: _State, after: InstallDomains, row_id: str | None) -> OutboxRow:
        world, now = self._store.world, self._store.world.now()
        shop = state.shop.changed({"domain": after.domain}, now)
        fresh = sorted(set(after.hosts) - state.held)
        # New hosts must be claimed in this commit, old ones may be released later, so claims take the room first.
        room = MAX_COMMIT_ITEMS - _OTHER_ITEMS - len(fresh)
        gone = sorted(state.held - set(after.hosts))[:room]
        held = sorted(state.held.union(fresh).difference(gone))
        kept = state.kept.written({"additional": list(after.additional), "held": held}, now)
        row = world.publish_row(shop.id)
        # A page may be published there between the check and this commit, and must not stay.
        freed = [promise_for_hosts(world, shop.id, gone)] if gone else []
        audit = self._store.audit(caller, SETTING.verb, _shown(state.domains), _shown(after), row_id)
        commit = Commit(
            puts=[self._store.put(shop.id, SETTING, kept), *(puts_of(shop) if shop != state.shop else [])],
            claims=[
                Claim(scope=None, name=claim_name(host), target_id=shop.id, target_shop_id=shop.id) for host in fresh
            ],
            releases=releases_of(gone),
            audit=[audit],
            outbox=[row, *freed],
        )
        try:
            world.catalog.commit(commit)
        except NameTakenError as error:
            raise taken(error, after) from error
        return row

    def _give_back(self, shop_id: str) -> None:
        """Release hosts that the shop no longer has; the revision stays."""
        state = self._read(shop_id)
        rest = sorted(state.held.difference(state.domains.hosts))
        if not rest:
            return
        document = {**state.kept.document, "held": sorted(state.held.difference(rest))}
        # Only the version rises. Callers hold the revision as their token, and nothing that they can see has changed.
        kept = replace(state.kept, document=document, version=state.kept.version + 1)
        self._store.world.catalog.commit(
            Commit(
                puts=[self._store.put(shop_id, SETTING, kept)],
                releases=releases_of(rest),
                outbox=[promise_for_hosts(self._store.world, shop_id, rest)],
            )
        )


def releases_of(hosts: Sequence[str]) -> list[Release]:
    """Build the releases of hosts, which are unique in the whole service."""
    return [Release(scope=None, name=claim_name(host)) for host in hosts]


def taken(error: NameTakenError, domains: InstallDomains) -> ConflictError:
    """Error for a host that another shop has, with the field of the request that names it."""
    places = {claim_name(host): f"additionalDomains[{index}]" for index, host in enumerate(domains.additional)}
    place = places.get(error.name, "domain")
    return ConflictError(
        "another shop has this host", fields=[FieldError(place, "belongs to another shop; ask support if it is yours")]
    )


def _shown(domains: InstallDomains) -> Document:
    return {"domain": domains.domain, "additionalDomains": list(domains.additional)}
