"""How a page loads each SDK: ours as the README says, GrowthBook in its fastest way and in its documented way."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.storefront import peers
from benchmarks.storefront.catalogue import EDGE, Design, growthbook, published
from benchmarks.storefront.site import JSON, SCRIPT, Site, inline

NONE, OURS, INLINED, KEEPING, ASYNC, HIDING, TOLD = (
    "without anything",
    "ours",
    "GrowthBook inlined",
    "GrowthBook inlined, counting and keeping",
    "GrowthBook async, as documented",
    "GrowthBook async with its anti-flicker",
    "GrowthBook inlined and notified of navigations",
)


@dataclass(frozen=True)
class Install:
    """What stands first in a page's head, by the name of the way; and the same with nothing left to be fetched."""

    heads: dict[str, str]
    inlined: dict[str, str]


def installed(site: Site, name: str, designs: Sequence[Design]) -> Install:
    """Serve what these experiments need under a name, for every way of loading.

    GrowthBook inlined: payload and bundle stand in the page, nothing is fetched, and it tracks nothing and streams
    nothing. Counting and keeping: the same, with what its documentation offers to do what ours does: exposures are sent
    to a server of ours, and variations are kept in a cookie, so that nobody moves when weights change. Async: the tag
    of its documentation, which fetches the payload from the same server.
    """
    ours = published(designs).text.replace(EDGE, site.edge_url)
    payload = growthbook(designs)
    path = site.add(f"/{name}/s.js", SCRIPT, ours)
    bundle = site.add("/growthbook/auto.min.js", SCRIPT, peers.growthbook())
    site.add(f"/api/features/{name}", JSON, json.dumps(payload))
    config = f"window.growthbook_config={{payload:{json.dumps(payload)},noStreaming:true,trackingCallback(){{}}}};"
    tag = (
        f'<script async data-api-host="{site.url}" data-client-key="{name}" data-no-streaming="true" '
        f'data-tracking="none" %ssrc="{bundle}"></script>'
    )
    told = f"window.growthbook_config={{payload:{json.dumps(payload)},noStreaming:true}};"
    keeping = (
        f'data-client-key="{name}" data-tracking="growthbook" data-event-ingestor-host="{site.edge_url}" '
        'data-use-sticky-bucket-service="cookie"'
    )
    inlined = {
        NONE: "",
        OURS: inline(ours),
        INLINED: inline(config + peers.growthbook()),
        KEEPING: inline(told + peers.growthbook(), attributes=keeping),
    }
    return Install(
        {
            NONE: "",
            OURS: f'<script src="{path}"></script>',
            INLINED: inlined[INLINED],
            TOLD: inlined[INLINED],
            ASYNC: tag % "",
            HIDING: tag % 'data-anti-flicker="true" ',
        },
        inlined,
    )
