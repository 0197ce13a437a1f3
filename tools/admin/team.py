"""Commands about what the team of a shop reads: the evidence of its audit, and its inbox."""

import argparse
from dataclasses import asdict
from typing import Any

from abtest.domain.inbox.messages import MAX_BODY
from abtest.services.audit_log.sealer import Sealer
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.inbox import Inbox
from abtest.services.shop_records import read_shop
from abtest.wiring.api import Management
from tools.admin.verification import Verifier

Result = dict[str, Any]


def add_audit(verbs: Any) -> None:
    """Add the commands of the audit."""
    verify = verbs.add_parser("verify", help="compare every audit row of a shop with its seals; 1 if any differs")
    verify.add_argument("shop_id")
    seal = verbs.add_parser("seal", help="seal a shop's days that are over now, instead of in the night")
    seal.add_argument("shop_id")
    seal.add_argument("--today", action="store_true", help="also the rows of today so far")


def add_inbox(verbs: Any) -> None:
    """Add the commands of the inbox."""
    listing = verbs.add_parser("list", help="the newest messages of a shop's inbox")
    listing.add_argument("shop_id")
    listing.add_argument("--limit", type=int, default=20)
    reply = verbs.add_parser("reply", help="write to a shop as an operator")
    reply.add_argument("shop_id")
    reply.add_argument("body", help="plain text")
    reply.add_argument("--sender", help="a name that the shop sees")


def run_audit(management: Management, line: argparse.Namespace) -> Result:
    """Run a command of the audit. Raises NotFoundError."""
    shop = read_shop(management.world.catalog, line.shop_id)
    if line.verb == "seal":
        sealer = Sealer(world=management.world, store=management.audit, blobs=management.seals)
        return {"seals": [asdict(seal) for seal in sealer.seal(shop.id, with_today=line.today)]}
    verifier = Verifier(
        catalog=management.world.catalog,
        store=management.audit,
        blobs=management.seals,
        now=management.world.clock.now(),
    )
    return asdict(verifier.verify(shop.id))


def run_inbox(management: Management, line: argparse.Namespace) -> Result:
    """Run a command of the inbox. Raises NotFoundError, and ValueError for a text that is empty or too long."""
    shop = read_shop(management.world.catalog, line.shop_id)
    inbox = Inbox(management.world)
    if line.verb == "list":
        messages, _ = inbox.page(shop.id, since=None, oldest_first=False, limit=max(1, line.limit), after=None)
        return {"messages": [message.model_dump() for message in messages]}
    if not 0 < len(line.body) <= MAX_BODY:
        raise ValueError(f"a message has 1 to {MAX_BODY:,} characters")
    message = inbox.send(shop.id, "operator", line.body, user_id=SYSTEM_USER_ID, sender_id=line.sender)
    return message.model_dump()
