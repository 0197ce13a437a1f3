"""Examples in the API's reference: the families that have them have one for each body, and each fits its schema."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.openapi import contract

FAMILIES = (
    "/flags",
    "/personalizations",
    "/pages",
    "/audiences",
    "/exclusion-groups",
    "/experiments/{experiment_id}/ship",
)


def bodies() -> Iterator[tuple[str, Any]]:
    for method, path, operation in contract().operations():
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        # A deletion's body is the acknowledgement, whose ids come with the refusal.
        if content and method != "DELETE" and path.startswith(FAMILIES):
            yield f"{method} {path}", content["schema"]


def examples(schema: Any) -> list[Any]:
    """Those of the schema, or of the form that is not null where a body may be left out."""
    forms = [contract().resolve(form) for form in [schema, *schema.get("anyOf", ())]]
    return [example for form in forms for example in form.get("examples", ())]


@pytest.mark.parametrize(("name", "schema"), [pytest.param(*body, id=body[0]) for body in bodies()])
def test_request_body__of_rollouts_and_targets__has_an_example_that_fits(name: str, schema: Any) -> None:
    found = examples(schema)
    assert found, f"{name} has no example"
    for example in found:
        assert not list(contract().validator(schema).iter_errors(example))
