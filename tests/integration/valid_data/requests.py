"""Needs of valid requests beyond the document: things in the state of an action, and bodies that name real things."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from abtest.kit.clock import timestamp
from tests.integration.bad_input.conftest import SPEC
from tests.support.api import START
from tests.support.client import Client

KEPT_HEADERS = {"idempotency-key"}
Ids = Mapping[str, str]
Hook = Callable[[Client, Ids], Mapping[str, str]]
Link = Callable[[Client, Ids], Mapping[str, Any]]


PREVIEW_LINKS = ("createPreviewLink", "createPersonalizationPreviewLink", "createFlagPreviewLink")
"""Operations that make preview links."""


def does(*actions: str, at: str = "/experiments/{experiment_id}") -> Hook:
    """Return a hook that calls these actions on the thing at an address."""

    def hook(client: Client, ids: Ids) -> Mapping[str, str]:
        for action in actions:
            answer = client.post(f"{at.format(**ids)}/{action}", {}, checked=False)
            assert answer.status < 300, (action, answer.body)
        return {}

    return hook


def makes(name: str, path: str, body: Mapping[str, Any], member: str = "id") -> Hook:
    """Return a hook that makes a thing of its own, which nothing uses, and takes its id."""
    return lambda client, ids: {name: client.post(path.format(**ids), dict(body)).json()[member]}


def page_host(ids: Ids) -> str:
    """Return a host for the landing page, which no shop of another test has."""
    return f"{ids['landing_page_id']}.shop.example"


def claims_host(client: Client, ids: Ids) -> Mapping[str, str]:
    """Claim a host of the shop's own."""
    settings = "/settings/install-domains"
    revision = client.get(settings).json()["revision"]
    claimed = client.patch(settings, {"domain": page_host(ids), "expected_revision": revision})
    assert claimed.status == 200, claimed.body
    return {}


def opens_preview(client: Client, ids: Ids) -> Mapping[str, str]:
    """Open a preview of the shop."""
    claims_host(client, ids)
    return makes("session_id", "/previews", {"url": f"https://{page_host(ids)}/"}, member="session_id")(client, ids)


def approves_page(client: Client, ids: Ids) -> Mapping[str, str]:
    """Claim a host, and approve the version of the landing page."""
    run = "/landing-pages/{landing_page_id}/qa-runs/{qa_run_id}".format(**ids)
    claims_host(client, ids)
    assert client.post(f"{run}/approve").status == 200
    return {}


def publishes_page(client: Client, ids: Ids) -> Mapping[str, str]:
    """Publish the landing page twice, and take the id of its first publish."""
    approves_page(client, ids)
    path, body = "/landing-pages/{landing_page_id}/publish".format(**ids), {"host": page_host(ids)}
    made = [client.post(path, body) for _ in range(2)]
    assert [answer.status for answer in made] == [201, 201], [answer.body for answer in made]
    return {"publish_id": made[0].json()["id"]}


def exports_page(client: Client, ids: Ids) -> Mapping[str, str]:
    """Publish the landing page as a file."""
    changed = client.patch("/landing-pages/{landing_page_id}".format(**ids), {"publish_mode": "export"})
    assert changed.status == 200, changed.body
    return publishes_page(client, ids)


def links_idea(client: Client, ids: Ids) -> Mapping[str, str]:
    """Link the experiment to the idea."""
    linked = client.post("/backlog/ideas/{idea_id}/links".format(**ids), primary_link(client, ids))
    assert linked.status == 201, linked.body
    return {}


EXPORTED = {"from": "2026-01-01T00:00:00.000Z", "to": "2026-01-02T00:00:00.000Z"}
THIRD = {"name": "Third"}
PHONES = {"operator": "and", "conditions": [{"attribute": "device", "operator": "equals", "value": "mobile"}]}

BEFORE: Mapping[str, Hook] = {
    "deleteAudience": makes("audience_id", "/audiences", {"name": "Unused", "rules": PHONES}),
    "deletePage": makes("page_id", "/pages", {"name": "Unused"}),
    "deleteExclusionGroup": makes("group_id", "/exclusion-groups", {"name": "Unused"}),
    "approveExperiment": does("request-approval"),
    "requestChanges": does("request-approval"),
    "markReady": does("start-qa"),
    "pauseExperiment": does("launch"),
    "completeExperiment": does("launch"),
    "restartExperiment": does("launch", "pause"),
    "resumeExperiment": does("launch", "pause"),
    "shipExperiment": does("launch", "pause"),
    "archiveVariation": makes("variation_id", "/experiments/{experiment_id}/variations", THIRD),
    "deleteVariation": makes("variation_id", "/experiments/{experiment_id}/variations", THIRD),
    "deleteVariationAlone": makes("variation_id", "/experiments/{experiment_id}/variations", THIRD),
    "deleteExperience": makes(
        "experience_key", "/personalizations/{personalization_id}/experiences", {"key": "second"}, member="key"
    ),
    "cancelScreenshotJob": makes("job_id", "/screenshots", {"urls": ["https://shop.example/"]}, member="job_id"),
    "getScreenshotJob": makes("job_id", "/screenshots", {"urls": ["https://shop.example/"]}, member="job_id"),
    "createPreview": claims_host,
    **dict.fromkeys(PREVIEW_LINKS, claims_host),
    "getPreview": opens_preview,
    "revokePreview": opens_preview,
    "detachIdea": links_idea,
    "startStoreProfileRun": does("cancel", at="/store-profile/runs/{run_id}"),
    "pauseFlag": does("activate", at="/flags/{flag_id}"),
    "exportLandingPagePublish": exports_page,
    "publishLandingPage": approves_page,
    "rollBackLandingPage": publishes_page,
    "unpublishLandingPage": publishes_page,
    "pausePersonalization": does("activate", at="/personalizations/{personalization_id}"),
}
"""State that an operation needs, by its id. A hook returns ids that replace those of the world."""


def weights(client: Client, ids: Ids) -> Mapping[str, Any]:
    """Return equal weights of the variations."""
    variations = client.get(f"/experiments/{ids['experiment_id']}").json()["variations"]
    return {"weights": {each["id"]: 1 / len(variations) for each in variations}}


def page_experiment(client: Client, ids: Ids) -> Mapping[str, Any]:
    """Return an experiment that may be linked to the landing page, with a version for each variation."""
    made = client.post("/experiments", {"name": "On a landing page"}).json()
    version = client.get(f"/landing-pages/{ids['landing_page_id']}").json()["current_version_id"]
    return {"experiment_id": made["id"], "versions": {each["id"]: version for each in made["variations"]}}


def primary_link(_: Client, ids: Ids) -> Mapping[str, Any]:
    """Return the experiment as that of the idea."""
    return {"experiment_id": ids["experiment_id"], "link_type": "primary"}


STYLE = {"files": [{"path": "experiment.css", "content": "h1 { color: teal }\n"}]}
DESIGN = {"files": [{"path": "experiment.json", "content": '{"name": "Of files"}\n'}]}


def planned_edit(client: Client, ids: Ids) -> Mapping[str, Any]:
    """Plan an edit of the experiment's files, and return its application."""
    path = f"/experiments/{ids['experiment_id']}/filesystem"
    plan = client.post(f"{path}/plan", {**STYLE, "deletes": []}).json()
    base = client.get(path).json()["tree_sha256"]
    return {**STYLE, "deletes": [], "base_tree_sha256": base, "plan_sha256": plan["planSha256"]}


def planned_design(client: Client, _: Ids) -> Mapping[str, Any]:
    """Plan a new experiment, and return the application."""
    return {**DESIGN, "plan_sha256": client.post("/experiments/filesystem/plan", DESIGN).json()["planSha256"]}


AT_HOME = {"publish_host": "shop.example", "publish_path": "/Guides/%7Espring"}

LINKS: Mapping[str, Link] = {
    "applyExperimentFiles": planned_edit,
    "applyNewExperimentFiles": planned_design,
    # Which operators an attribute has is a rule of the domain (422): a random pair is rarely one.
    "createAudience": lambda *_: {"rules": PHONES},
    "createContentBrief": lambda *_: {"landing_page_id": None},
    "createExport": lambda *_: EXPORTED,
    "createLandingPage": lambda *_: AT_HOME,
    "createLandingPageVersion": lambda *_: {"spec": SPEC, "brief_id": None, "seo_manifest": {"title": "One"}},
    "createLandingPagePreview": lambda *_: {"spec": SPEC, "seo_manifest": {"title": "One"}},
    "createLandingPageQaRun": lambda _, ids: {"version_id": ids["version"]},
    "createPreview": lambda _, ids: {"url": f"https://{page_host(ids)}/", "experiment_id": None, "variation_id": None},
    **dict.fromkeys(PREVIEW_LINKS, lambda _, ids: {"url": f"https://{page_host(ids)}/"}),
    "createShop": lambda *_: {"currency": "EUR"},
    "createWebhook": lambda *_: {"url": "https://hooks.shop.example/in"},
    "linkIdea": primary_link,
    "linkLandingPageExperiment": page_experiment,
    "markInboxRead": lambda _, ids: {"until": ids["message_id"]},
    "orderGoals": lambda _, ids: {"ids": [ids["goal_id"]]},
    "orderIdeas": lambda _, ids: {"ids": [ids["idea_id"]]},
    "orderPersonalizations": lambda _, ids: {"ids": [ids["personalization_id"]]},
    "publishLandingPage": lambda _, ids: {
        "version_id": ids["version"],
        "host": page_host(ids),
        "path": "/Guides/%7Espring",
    },
    "rollBackLandingPage": lambda _, ids: {"publish_id": ids["publish_id"]},
    "recoverWebhook": lambda *_: {"since": timestamp(START)},
    "updateContentBrief": lambda *_: {"landing_page_id": None},
    "setPlan": lambda _, ids: {"goal_id": ids["goal_id"], "baseline_rate": 0.05, "mde": 0.1},
    "setSchedule": lambda *_: {"end_at": "2099-01-01T00:00:00Z"},
    "setWeights": weights,
    "startStoreProfileRun": lambda *_: {"url": "https://shop.example/"},
    "shipExperiment": lambda _, ids: {"variation_id": ids["variation_id"]},
    "updateLandingPage": lambda *_: AT_HOME,
    "verifyInstallation": lambda *_: {"url": "https://shop.example/"},
}
"""Properties of a body that must name something real, by operation, and where their values come from."""
