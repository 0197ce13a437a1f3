"""The parts of the document that are about the whole API: license, and the tags in the order of use."""

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]

LICENSE: Json = {"name": "Apache 2.0", "identifier": "Apache-2.0"}

TAGS: Mapping[str, str] = {
    "Meta": "Check a key, and read this reference.",
    "Shops": "Create shops, and set the defaults that their experiments inherit.",
    "API keys": "Create, rotate and revoke keys, each with the scopes that it needs.",
    "Installation": "Tags to paste into the storefront, and a check that they work.",
    "Experiments": "Create experiments, and take them from draft through approval and launch to completion.",
    "Backlog": "Ideas for experiments: scored, put in order, linked, and moved by what becomes of them.",
    "Variations": "The arms of an experiment: changes to pages, code, redirects and weights.",
    "Goals": "Measured outcomes: of one experiment, or reusable in the whole shop.",
    "Experiment files": "The whole design of an experiment as files: read, planned with diffs, applied as one change.",
    "Results": "Estimates, intervals, health and reports of experiments and personalizations.",
    "Pages and audiences": "Reusable targeting: pages by address, audiences by attributes of the visitor.",
    "Exclusion groups": "Experiments that share traffic so that a visitor takes part in at most one.",
    "Feature flags": "Values that are switched on for a share of visitors without a measurement.",
    "Personalizations": "Experiences for certain visitors, and the rollout of winners.",
    "Landing pages": "Pages that the service serves on the shop's hosts.",
    "Brand context": "Voice of the shop, banned phrases, and what needs proof.",
    "Store profile": "What the store's pages show of its platform, tools and brand, for people to confirm.",
    "Content briefs": "What a landing page should say, to whom, and with which proof.",
    "Assets": "Pictures, videos, fonts and documents that landing pages show.",
    "Previews": "Pages of the shop with a variation of any status, before shoppers see it.",
    "Screenshots": "Pictures of pages, and of an experiment's variations.",
    "Workspace files": "Briefs, notes and data of the team, next to files that the service generates.",
    "Audit": "Every change of the shop, and proofs that rows are as they were written.",
    "Inbox": "Messages between the shop and the operators of the service.",
    "Analytics": "Figures of the whole shop, sample sizes, and events that were not counted.",
    "Exports": "Raw events and results as files.",
    "Webhooks": "Signed notifications of events, their deliveries and recovery.",
    "Runtime settings": "Environments, consent, domains and publication of the storefront's configuration.",
    "Data-layer triggers": "Pushes to the data layer that become events, attributes or revenue.",
    "Edge": "Routes for storefronts and servers of shops, on hosts of their own: events, assignment, configuration.",
}
"""Tags of the document and what they are about; readers meet them in this order."""


def with_overview(document: Json) -> Json:
    """Return the document with its license and its tags."""
    tags = [{"name": name, "description": about} for name, about in TAGS.items()]
    return {**document, "info": document["info"] | {"license": LICENSE}, "tags": tags}


def unknown_tags(document: Json) -> list[str]:
    """Return the tags of operations that no reader would find in the list of tags."""
    operations = (part for item in document["paths"].values() for part in item.values() if isinstance(part, dict))
    return sorted({tag for operation in operations for tag in operation.get("tags", ())} - TAGS.keys())
