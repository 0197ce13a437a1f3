"""Drafts compiled as if they ran: what a preview on the shop's own pages adds to the published config."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from abtest.domain.delivery.config import Runtime, compile_config, compile_shop
from abtest.domain.delivery.drafts import LISTS, DraftKind
from abtest.domain.delivery.manifest import DEFAULT_ENVIRONMENT, MAX_SNIPPET_BYTES
from abtest.domain.delivery.snippet import render_draft
from abtest.domain.experiments.model import Experiment
from abtest.domain.flags.model import Flag
from abtest.domain.personalizations.model import Personalization
from abtest.kit.errors import ValidationFailedError
from abtest.ports.catalog import Catalog
from abtest.ports.scripts import ScriptChecker
from abtest.services.publication.code import CheckedScripts, sound_code
from abtest.services.publication.outcome import TooLargeError
from abtest.services.publication.preview_snippets import NOWHERE, PreviewFile, files_of
from abtest.services.publication.sources import Sources
from abtest.services.shop_records import read_shop

Subject = Experiment | Personalization | Flag


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledDraft:
    """Part of a config in three forms: as `/api/exp` shows it, and as JavaScript with its functions and files."""

    config: Mapping[str, object]
    part: str
    functions: str
    files: Mapping[str, PreviewFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafts:
    """Compiler of drafts; nothing is stored."""

    catalog: Catalog
    checker: ScriptChecker
    worker_base_url: str

    def compiled(self, subject: Subject, *, prefix: str) -> CompiledDraft:
        """Return the draft as a publication would deliver it, whatever its status is. Names of files get the prefix.

        Raises ValidationFailedError for one that a publication would leave out, TooLargeError.
        """
        shop, sources = read_shop(self.catalog, subject.shop_id), Sources(self.catalog, subject.shop_id)
        kind, environment = kind_of(subject), DEFAULT_ENVIRONMENT
        if isinstance(subject, Experiment):
            stored = sources.around(experiments=[replace(subject, status="running", archived_at=None)])
        elif isinstance(subject, Personalization):
            environment = subject.environment_key
            stored = sources.around(personalizations=[replace(subject, status="active", archived_at=None)])
        else:
            environment = subject.environment_key
            stored = sources.around(flags=[replace(subject, status="active")])
        scripts = CheckedScripts(self.checker)
        delivered, _ = sound_code(compile_shop(shop, stored), scripts)
        runtime = Runtime(
            shop_id=shop.id,
            environment=environment,
            currency=shop.currency,
            events_url=NOWHERE,
            events_signature="",
        )
        whole = compile_config(runtime, delivered, 0)
        name = LISTS[kind]
        if not whole.get(name):
            reasons = "; ".join([*sources.left_out, *delivered.left_out])
            raise ValidationFailedError(f"the {kind} cannot be delivered: {reasons}")
        config = {field: value for field, value in whole.items() if field in (name, "zones")}
        code = render_draft(config, scripts, prefix=prefix, assets_url=f"{self.worker_base_url}/s/{shop.id}/")
        size = len(code.part.encode()) + len(code.functions.encode())
        if size > MAX_SNIPPET_BYTES:
            raise TooLargeError(f"the {kind} has {size} bytes of code, more than {MAX_SNIPPET_BYTES}")
        return CompiledDraft(config=config, part=code.part, functions=code.functions, files=files_of(code.chunks))


def kind_of(subject: Subject) -> DraftKind:
    """Return the kind of a draft."""
    if isinstance(subject, Experiment):
        return "experiment"
    return "personalization" if isinstance(subject, Personalization) else "flag"
