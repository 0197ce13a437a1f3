"""Use case of operators: the secret with which a shop's server signs events, and its rotation."""

from collections.abc import Callable
from dataclasses import dataclass

from abtest.domain.credentials.ingest_epochs import IngestEpochs, claim_attributes, claim_name, from_claim
from abtest.domain.credentials.lifecycle import DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS
from abtest.domain.credentials.signing import RootKeys, ingest_secret
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Claim, Commit
from abtest.services.context import World
from abtest.services.shop_records import read_shop


@dataclass(frozen=True, slots=True)
class IngestSecret:
    """Secret of a shop, and until when the former one is valid as well."""

    shop_id: str
    secret: str
    former_until: Timestamp | None = None


@dataclass(frozen=True, slots=True)
class IngestSecrets:
    """Ingest secrets, each derived from the root key, the shop and the shop's epoch."""

    world: World
    roots: Callable[[], RootKeys]

    def current(self, shop_id: str) -> IngestSecret:
        """Return the current secret of a shop. Raises NotFoundError."""
        return self._secret(read_shop(self.world.catalog, shop_id).id, self._epochs(shop_id))

    def rotate(self, shop_id: str, *, grace_seconds: int = DEFAULT_GRACE_SECONDS) -> IngestSecret:
        """Replace the secret; a grace of 0 revokes the former one. Raises NotFoundError, ValueError.

        Edges notice within five seconds. Two rotations at once may make one epoch, and then both return its secret.
        """
        if not 0 <= grace_seconds <= MAX_GRACE_SECONDS:
            raise ValueError(f"the grace must be 0 to {MAX_GRACE_SECONDS} seconds")
        shop, now = read_shop(self.world.catalog, shop_id), self.world.now()
        before = self._epochs(shop_id)
        after = before.rotated(grace_seconds, now)
        claim = Claim(
            scope=None,
            name=claim_name(shop_id),
            target_id=shop_id,
            target_shop_id=shop_id,
            attributes=claim_attributes(after),
        )
        audit = self.world.audit_row(
            user_id=shop.org_id,
            shop_id=shop_id,
            action="shop.rotate_ingest_secret",
            entity=("shop", shop_id, shop.name),
            diff={"ingest_secret_epoch": [before.current, after.current]},
            now=now,
        )
        self.world.catalog.commit(Commit(claims=[claim], audit=[audit]))
        return self._secret(shop_id, after)

    def _epochs(self, shop_id: str) -> IngestEpochs:
        return from_claim(self.world.catalog.claim_attributes(None, claim_name(shop_id)))

    def _secret(self, shop_id: str, epochs: IngestEpochs) -> IngestSecret:
        secret = ingest_secret(self.roots(), shop_id, epoch=epochs.current)
        return IngestSecret(shop_id, secret, epochs.former_until)
