"""Snippets that show one variation of an experiment of any status and nothing else of the shop; they send no events."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from abtest.domain.delivery.chunks import Chunk
from abtest.domain.delivery.config import NOTHING, Runtime, compile_config
from abtest.domain.delivery.experiments import compile_experiment
from abtest.domain.delivery.manifest import CHUNK_CONTENT_TYPES, DEFAULT_ENVIRONMENT
from abtest.domain.delivery.snippet import Bundle, render_snippet, without_broken_scripts
from abtest.domain.experiments.model import Experiment
from abtest.domain.preview.session import file_key
from abtest.domain.targeting.compilation import NO_REFERENCES
from abtest.kit.documents import decode
from abtest.kit.errors import NotFoundError
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import Catalog
from abtest.ports.scripts import ScriptChecker
from abtest.services.publication.code import CheckedScripts
from abtest.services.shop_records import read_shop

NOWHERE = "https://events.invalid/"
"""Address of events. The name is reserved (RFC 2606), so that none arrives anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewFile:
    """Large code of a snippet, in a file next to it."""

    content_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSnippet:
    """Text of a snippet, and the files that it loads from `/s/<shop>/`, by name."""

    text: str
    files: Mapping[str, PreviewFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSnippets:
    """Maker of preview snippets; nothing is stored."""

    catalog: Catalog
    checker: ScriptChecker
    bundle: Bundle
    worker_base_url: str

    def of(
        self, shop_id: str, experiment_id: str, variation_id: str, *, files_url: str | None = None
    ) -> PreviewSnippet:
        """Return the snippet that shows a variation to every visitor of every page. Raises NotFoundError.

        Its files are loaded from `files_url`, by default from where those of the shop's snippet are.
        """
        record = self.catalog.get(shop_id, "EXP", experiment_id)
        if record is None:
            raise NotFoundError("there is no such experiment")
        scripts = CheckedScripts(self.checker)
        compiled = compile_experiment(_forced(decode(Experiment, record.body), variation_id), NO_REFERENCES, {})
        sound, _ = without_broken_scripts([compiled], scripts)
        runtime = Runtime(
            shop_id=shop_id,
            environment=DEFAULT_ENVIRONMENT,
            currency=read_shop(self.catalog, shop_id).currency,
            events_url=NOWHERE,
            events_signature="",
            is_preview=True,
        )
        config = compile_config(runtime, replace(NOTHING, experiments=sound), 0)
        snippet = render_snippet(config, self.bundle, scripts, files_url or f"{self.worker_base_url}/s/{shop_id}/")
        return PreviewSnippet(text=snippet.text, files=files_of(snippet.chunks))


def files_of(chunks: Iterable[Chunk]) -> Mapping[str, PreviewFile]:
    """Return the files of chunks by name."""
    return {
        chunk.file: PreviewFile(content_type=CHUNK_CONTENT_TYPES[chunk.kind], content=chunk.content) for chunk in chunks
    }


def store_files(delivery: Blobs, session_id: str, files: Mapping[str, PreviewFile]) -> None:
    """Store the files of a preview session."""
    for name, file in files.items():
        delivery.put(file_key(session_id, name), file.content, content_type=file.content_type)


def _forced(experiment: Experiment, variation_id: str) -> Experiment:
    """Return the experiment as if it ran with this variation alone, for all visitors and on all pages."""
    shown = next((each for each in experiment.variations if each.id == variation_id), None)
    if shown is None:
        raise NotFoundError("the experiment has no variation with this id")
    return replace(
        experiment,
        status="running",
        archived_at=None,
        traffic_allocation=1.0,
        targeting=None,
        goals=(),
        goal_page_rules=(),
        variations=(replace(shown, weight=1.0, archived_at=None),),
    )
