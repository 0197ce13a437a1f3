"""Names of schemas in the document where the class in the code has a name for its own module only."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]

NAMES: Mapping[str, str] = {
    "AmountSetAside": "GoalAmountSetAside",
    "Bucket": "TimeseriesBucket",
    "Comparison": "AudienceComparison",
    "Completion": "CompletionOptions",
    "ConsentModeInput": "ConsentModeUpdate",
    "ConsentModeOutput": "ConsentMode",
    "Coverage": "TrafficCoverage",
    "CreateApiKey": "ApiKeyCreate",
    "CreateShop": "ShopCreate",
    "Cuped": "CupedComparison",
    "Duplication": "DuplicationOptions",
    "ExportInput": "ExportCreate",
    "FeatureFlagInput": "FeatureFlagCreate",
    "FeatureFlagUpdateInput": "FeatureFlagUpdate",
    "GroupMember": "ExclusionGroupMemberInput",
    "GroupMemberShown": "ExclusionGroupMember",
    "Interval": "ResultInterval",
    "IntervalCourse": "IntervalHistory",
    "KindNotEvaluated": "FindingNotEvaluated",
    "Launch": "LaunchOptions",
    "Mapping": "DataLayerMapping",
    "Me": "CallerIdentity",
    "Narrowing": "ResultsFilter",
    "NobodySeen": "NoVisitors",
    "PersonalizationInput": "PersonalizationCreate",
    "PersonalizationRule": "PersonalizationRuleInput",
    "PersonalizationRuleShown": "PersonalizationRule",
    "PersonalizationUpdateInput": "PersonalizationUpdate",
    "Property": "DataLayerProperty",
    "QaNote": "QaNotes",
    "ReadRevenue": "TriggerTestRevenue",
    "ReadingProblem": "TriggerTestProblem",
    "Reason": "ActionReason",
    "RevokeApiKey": "ApiKeyRevocation",
    "RotateApiKey": "ApiKeyRotation",
    "SecretRotationInput": "WebhookSecretRotation",
    "SeriesGoal": "TimeseriesGoal",
    "SeriesRow": "TimeseriesRow",
    "ShipInput": "ShipRequest",
    "Shipped": "ShipResult",
    "TrackRevenue": "DataLayerRevenue",
    "Transform": "DataLayerTransform",
    "Trigger": "PageTrigger",
    "UpdateApiKey": "ApiKeyUpdate",
    "UpdateConsent": "ConsentUpdate",
    "UpdateEnvironments": "EnvironmentsUpdate",
    "UpdateExternalTracking": "ExternalTrackingUpdate",
    "UpdateInstallDomains": "InstallDomainsUpdate",
    "UpdatePublicationSettings": "PublicationSettingsUpdate",
    "UpdateShop": "ShopUpdate",
    "UpdateShopDefaults": "ShopDefaultsUpdate",
    "UpdatedExperiment": "ExperimentUpdated",
    "Verdict": "ReportVerdict",
    "WebhookInput": "WebhookCreate",
    "WrittenVariation": "VariationWritten",
}
"""Class names and their names in the document. Bodies end in Create, Update or Input."""

_SCHEMAS = "#/components/schemas/"
_REFERENCE = re.compile(f'"{re.escape(_SCHEMAS)}([^"]+)"')
_VALUES = {"const", "default", "enum", "example", "examples"}
_LIST = re.compile("ListOf_(.+)_")


def renamed(document: Json) -> Json:
    """Return the document with the schemas renamed, and each schema's title equal to its name."""
    names = {name: public_name(name) for name in document["components"]["schemas"]}
    if doubled := [name for name, times in Counter(names.values()).items() if times > 1]:
        raise ValueError(f"two schemas have one name: {', '.join(doubled)}")
    moved: Json = json.loads(_REFERENCE.sub(lambda match: f'"{_SCHEMAS}{names[match.group(1)]}"', json.dumps(document)))
    schemas = moved["components"]["schemas"].items()
    moved["components"]["schemas"] = {names[old]: {**_untitled(schema), "title": names[old]} for old, schema in schemas}
    moved["paths"] = _untitled(moved["paths"])
    return moved


def _untitled(part: Any) -> Any:
    """Return a part of the document without titles of properties, which only repeat their names."""
    if isinstance(part, list):
        return [_untitled(item) for item in part]
    if not isinstance(part, dict):
        return part
    return {
        key: value if key in _VALUES else _untitled(value)
        for key, value in part.items()
        if key != "title" or not isinstance(value, str)
    }


def public_name(name: str) -> str:
    """Return the name of a class in the document; pydantic names a page of a list `ListOf_Experiment_`."""
    item = _LIST.fullmatch(name)
    return f"{public_name(item.group(1))}List" if item else NAMES.get(name, name)
