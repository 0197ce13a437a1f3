"""The template's functions and what triggers them, resolved to what the stack needs to run them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.local.template.document import Document, Node, TemplateError
from tools.local.template.intrinsics import Resolver
from tools.local.template.resources import FUNCTION, LAYER, QUEUE, Resource, of_type

IMPLICIT_API = "ServerlessHttpApi"
BATCHES_AT_ONCE = 2
"""Of a queue for whose function no greatest concurrency is declared."""


@dataclass(frozen=True)
class Route:
    """One route of one HTTP API; the path is "$default" when the event names none."""

    api: str
    method: str
    path: str

    @property
    def key(self) -> str:
        return self.path if self.path == "$default" else f"{self.method} {self.path}"


@dataclass(frozen=True)
class QueueSource:
    """One SQS event source mapping. `at_once` batches are worked at side by side, if there are as many workers."""

    queue: str
    batch_size: int
    window_seconds: int
    reports_failures: bool
    at_once: int = BATCHES_AT_ONCE


@dataclass(frozen=True)
class Schedule:
    """One schedule; `scheduler` is true for EventBridge Scheduler, false for an EventBridge rule."""

    name: str
    expression: str
    timezone: str
    input: str | None
    scheduler: bool


@dataclass(frozen=True)
class Function:
    """One Lambda function: how to start it and when to invoke it."""

    logical_id: str
    name: str
    handler: str
    code: Path
    layers: tuple[Path, ...]
    timeout: int
    memory: int
    environment: dict[str, str]
    routes: tuple[Route, ...]
    queues: tuple[QueueSource, ...]
    schedules: tuple[Schedule, ...]
    is_image: bool = False
    """True for a container image."""

    @property
    def folder(self) -> str:
        """The folder that its handler lives in, which is what people call it."""
        return self.handler.partition(".")[0]


def functions(document: Document, resolver: Resolver, resources: list[Resource]) -> list[Function]:
    """Resolve every function that exists; call it when keys and secrets have their attributes."""
    defaults = document.globals.get("Function") or {}
    existing = {resource.logical_id for resource in resources}
    reader = _Reader(document, resolver, existing, of_type(resources, QUEUE))
    return [
        reader.function(resource, _merged(defaults, resource.properties)) for resource in of_type(resources, FUNCTION)
    ]


def _merged(defaults: dict[str, Node], own: dict[str, Node]) -> dict[str, Node]:
    """Merge SAM's Globals: maps key by key, lists by appending, all else by overriding."""
    merged = dict(defaults)
    for key, value in own.items():
        before = merged.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[key] = _merged(before, value)
        elif isinstance(before, list) and isinstance(value, list):
            merged[key] = before + value
        else:
            merged[key] = value
    return merged


@dataclass
class _Reader:
    document: Document
    resolver: Resolver
    existing: set[str]
    queues: list[Resource]

    def function(self, resource: Resource, properties: dict[str, Node]) -> Function:
        text = self.resolver.text
        variables = self.resolver.resolve((properties.get("Environment") or {}).get("Variables") or {})
        events = list((properties.get("Events") or {}).items())
        is_image = properties.get("PackageType") == "Image"
        # Of an image only the name of the handler is known here; its code is that of the tree, with all layers.
        layers = self._every_layer() if is_image else properties.get("Layers") or []
        handler = (properties.get("ImageConfig") or {}).get("Command", [None])[0] if is_image else None
        handler = handler or properties.get("Handler")
        if handler is None:
            source = "ImageConfig.Command" if is_image else "Handler"
            raise TemplateError(f"function {resource.logical_id} has no {source}")
        return Function(
            logical_id=resource.logical_id,
            name=resource.name,
            handler=text(handler),
            code=self.document.root / text(properties.get("CodeUri", ".")),
            layers=tuple(self._layers(layers)),
            is_image=is_image,
            timeout=int(self.resolver.resolve(properties.get("Timeout", 3))),
            memory=int(self.resolver.resolve(properties.get("MemorySize", 128))),
            environment={name: self.resolver.text(value) for name, value in variables.items()},
            routes=tuple(self._route(event.get("Properties") or {}) for event in _of(events, "HttpApi")),
            queues=tuple(self._queue_source(resource, event["Properties"]) for event in _of(events, "SQS")),
            schedules=tuple(self._schedules(resource, events)),
        )

    def _every_layer(self) -> list[Node]:
        return [{"Ref": name} for name, each in self.document.resources.items() if each.get("Type") == LAYER]

    def _layers(self, layers: Node) -> Iterator[Path]:
        for layer in self.resolver.resolve(layers):
            declared = self.document.resources.get(layer, {})
            if declared.get("Type") == LAYER:
                yield self.document.root / self.resolver.text(declared["Properties"]["ContentUri"])

    def _route(self, properties: dict[str, Node]) -> Route:
        api = _reference(properties.get("ApiId", {"Ref": IMPLICIT_API}))
        path = self.resolver.text(properties.get("Path", "$default"))
        method = self.resolver.text(properties.get("Method", "ANY")).upper()
        return Route(api, method.replace("X-AMAZON-APIGATEWAY-ANY-METHOD", "ANY"), path)

    def _queue_source(self, resource: Resource, properties: dict[str, Node]) -> QueueSource:
        arn = self.resolver.text(properties["Queue"])
        name = arn.rpartition(":")[2]
        if name not in {queue.name for queue in self.queues}:
            raise TemplateError(f"function {resource.logical_id} reads queue {arn}, which the template does not create")
        scaling = properties.get("ScalingConfig") or {}
        return QueueSource(
            queue=name,
            batch_size=int(self.resolver.resolve(properties.get("BatchSize", 10))),
            window_seconds=int(self.resolver.resolve(properties.get("MaximumBatchingWindowInSeconds", 0))),
            reports_failures="ReportBatchItemFailures" in (properties.get("FunctionResponseTypes") or []),
            at_once=int(self.resolver.resolve(scaling.get("MaximumConcurrency", BATCHES_AT_ONCE))),
        )

    def _schedules(self, resource: Resource, events: list[tuple[str, Node]]) -> Iterator[Schedule]:
        for event_id, event in events:
            properties = event.get("Properties") or {}
            if event["Type"] not in {"Schedule", "ScheduleV2"} or self._disabled(properties):
                continue
            scheduler = event["Type"] == "ScheduleV2"
            expression = properties["ScheduleExpression" if scheduler else "Schedule"]
            given = properties.get("Input")
            yield Schedule(
                name=f"{resource.name}-{event_id}",
                expression=self.resolver.text(expression),
                timezone=self.resolver.text(properties.get("ScheduleExpressionTimezone", "UTC")),
                input=None if given is None else self.resolver.text(given),
                scheduler=scheduler,
            )

    def _disabled(self, properties: dict[str, Node]) -> bool:
        return self.resolver.text(properties.get("Enabled", True)) == "false" or properties.get("State") == "DISABLED"


def _of(events: list[tuple[str, Node]], type_: str) -> list[Node]:
    return [event for _, event in events if event["Type"] == type_]


def _reference(node: Node) -> str:
    return str(node["Ref"]) if isinstance(node, dict) and "Ref" in node else str(node)
