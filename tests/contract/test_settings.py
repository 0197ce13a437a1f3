"""Runtime settings on every engine: of writers who read the same version one wins, and a host belongs to one shop."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from typing import Any, cast

import pytest

from abtest.contract import runtime_settings as contract
from abtest.domain.settings.shop import Shop
from abtest.kit.clock import ManualClock
from abtest.kit.errors import ConflictError, ServiceError
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Catalog, Commit
from abtest.services.context import Caller, World
from abtest.services.publication import PublicationOutcome
from abtest.services.republication import Republication
from abtest.services.settings.environments import EnvironmentSettings
from abtest.services.settings.external_tracking import ExternalTrackingSettings
from abtest.services.settings.install_domains import InstallDomainSettings
from abtest.services.settings.store import RevisionConflictError, SettingsStore
from abtest.services.shop_records import puts_of
from abtest.services.storefronts import Storefronts
from tests.contract.conftest import Ports
from tests.contract.records import race
from tests.support.memory import MemoryLeases, MemorySessions
from tests.support.storefronts import MOMENT, shop

WRITERS = 6


class Publisher:
    """Publishes nothing, always well: what is under test is the commit."""

    def publish(self, _shop_id: str) -> PublicationOutcome:
        return PublicationOutcome(ok=True, revision=1)


def store(catalog: Catalog) -> SettingsStore:
    clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
    world = World(catalog=catalog, clock=clock, random=SystemRandomness())
    republication = Republication(
        world=world, storefronts=Storefronts(catalog, Publisher()), leases=MemoryLeases(), sessions=MemorySessions()
    )
    return SettingsStore(world, republication)


def stored(ports: Ports, number: int) -> Caller:
    """A caller of a new shop."""
    made: Shop = shop(id=f"0192a3b4-0000-7000-8000-0000000009{number:02d}", domain=f"shop{number}.example")
    ports.catalog.commit(Commit(puts=puts_of(made)))
    return Caller(key_id="k", kind="shop", user_id=made.org_id, shop_id=made.id, scopes=frozenset(), request_id=MOMENT)


def environments(name: str, version: str | None) -> contract.UpdateEnvironments:
    item = {"key": "a", "name": name, "isDefault": True, "subSnippetEnabled": False, "domains": []}
    return contract.UpdateEnvironments.model_validate(
        {"environments": {"activeKey": "a", "items": [item]}, "expected_version": version}
    )


def sorted_out(results: list[Any], refusal: type[ServiceError]) -> list[Any]:
    """What succeeded; everything else must be the refusal."""
    lost = [result for result in results if isinstance(result, Exception)]
    assert [type(error) for error in lost] == [refusal] * len(lost)
    return [result for result in results if not isinstance(result, Exception)]


class TakingTurns:
    """A catalog of which one call runs at a time; what lies between two calls runs as it likes."""

    def __init__(self, catalog: Catalog, turns: Lock) -> None:
        self._catalog, self._turns = catalog, turns

    def __getattr__(self, name: str) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            with self._turns:
                return getattr(self._catalog, name)(*given, **named)

        return call


@pytest.fixture
def catalogs(ports: Ports, request: pytest.FixtureRequest) -> list[Catalog]:
    """One for each writer. Moto cannot be read while another thread writes, so there calls take turns."""
    found, turns = [ports.another().catalog for _ in range(WRITERS)], Lock()
    if request.node.callspec.params["engine"] == "moto":
        return [cast(Catalog, TakingTurns(catalog, turns)) for catalog in found]
    return found


def racing(catalogs: list[Catalog], write: Callable[[SettingsStore, int], Any]) -> list[Any]:
    return race(*(partial(write, store(catalog), number) for number, catalog in enumerate(catalogs)))


def test_environments__written_by_many_who_read_the_same_version__one_wins(
    ports: Ports, catalogs: list[Catalog]
) -> None:
    caller, version = stored(ports, 1), None
    for turn in range(3):  # first the first write, then later ones

        def write(settings: SettingsStore, number: int, turn: int = turn, version: str | None = version) -> Any:
            return EnvironmentSettings(settings).update(caller, environments(f"{turn} {number}", version), None)

        (won,) = sorted_out(racing(catalogs, write), RevisionConflictError)
        now = EnvironmentSettings(store(ports.catalog)).get(caller)
        assert now.model_dump(exclude_unset=True) == won.model_dump(exclude_unset=True, exclude={"precompile"})
        version = now.version
    audits, _ = ports.catalog.audit(caller.shop_id, entity_id=None, limit=50)
    assert len(audits) == 3


def test_external_tracking__written_by_many_who_read_the_same_revision__one_wins(
    ports: Ports, catalogs: list[Catalog]
) -> None:
    caller = stored(ports, 2)

    def write(settings: SettingsStore, number: int) -> Any:
        wish = contract.UpdateExternalTracking.model_validate(
            {"externalTracking": {"domains": [f"h{number}.example"]}, "expected_revision": None}
        )
        return ExternalTrackingSettings(settings).update(caller, wish, None)

    assert len(sorted_out(racing(catalogs, write), RevisionConflictError)) == 1


@pytest.mark.parametrize("field", ["domain", "additionalDomains"])
def test_install_domains__the_same_host_wanted_by_many_shops__belongs_to_one(
    ports: Ports, catalogs: list[Catalog], field: str
) -> None:
    callers = [stored(ports, 10 + number) for number in range(WRITERS)]
    wanted = "wanted.example" if field == "domain" else ["other.example", "wanted.example"]

    def write(settings: SettingsStore, number: int) -> Any:
        wish = contract.UpdateInstallDomains.model_validate({field: wanted})
        return InstallDomainSettings(settings).update(callers[number], wish, None)

    (won,) = sorted_out(racing(catalogs, write), ConflictError)
    settings = InstallDomainSettings(store(ports.catalog))
    having = [caller.shop_id for caller in callers if "https://wanted.example" in settings.get(caller).storeOrigins]
    assert having == [won.shop_id]


def test_install_domains__all_exchanged_at_once__are_all_free_for_others(ports: Ports) -> None:
    one, other = stored(ports, 3), stored(ports, 4)
    settings = InstallDomainSettings(store(ports.catalog))

    def write(caller: Caller, prefix: str) -> contract.InstallDomainsResponse:
        hosts = [f"{prefix}{number}.example" for number in range(51)]
        given = {"domain": hosts[0], "additionalDomains": hosts[1:], "expected_revision": settings.get(caller).revision}
        return settings.update(caller, contract.UpdateInstallDomains.model_validate(given), None)

    write(one, "a")
    write(one, "b")
    write(other, "a")
    with pytest.raises(ConflictError):
        write(other, "b")
