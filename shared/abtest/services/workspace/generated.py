"""Files that the service generates, made when they are read and therefore never stale."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from abtest.domain.brand.prompt import prompt_block
from abtest.domain.experiment_files.rendering import files_of, with_guide
from abtest.domain.experiment_files.texts import json_text
from abtest.domain.profiles.model import StoreProfile
from abtest.domain.workspace.files import README
from abtest.kit.documents import encode
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Head
from abtest.services.backlog.ideas import Ideas
from abtest.services.brand import read_brand
from abtest.services.context import World
from abtest.services.experiment_files.shop_records import ShopRecords
from abtest.services.experiments.records import experiment_of, slug_name
from abtest.services.listing import every_head
from abtest.services.profiles.records import read_profile

EXPERIMENTS = "experiments/"
_IS_PUBLIC_ID = re.compile("[1-9][0-9]{9}")
MAX_LISTED = 2000
"""Lines of a generated list; the last paragraph has the number of the others."""


@dataclass(frozen=True, slots=True)
class GeneratedFiles:
    """Maker of generated files."""

    world: World

    def fixed(self) -> Mapping[str, Callable[[str], str]]:
        """Return the makers of the files that every shop has, by path; each takes the shop."""
        return {
            README: self._readme,
            "backlog/ideas.md": self._ideas,
            "brand/context.md": self._brand,
            "brand/prompt.md": lambda shop_id: prompt_block(read_brand(self.world.catalog, shop_id)) + "\n",
            "experiments/index.md": self._experiments,
            "store/facts.md": self._facts,
            "store/profile.json": lambda shop_id: json_text(encode(self._profile(shop_id), omit=("version",))),
        }

    def of_experiment(self, shop_id: str, folder: str) -> Mapping[str, str]:
        """Return the files of an experiment, by path; none for a folder without an experiment."""
        catalog = self.world.catalog
        target = None if _IS_PUBLIC_ID.fullmatch(folder) else catalog.resolve(shop_id, slug_name(folder))
        try:
            experiment = experiment_of(catalog, shop_id, target[1] if target else folder)
        except NotFoundError:
            return {}
        if _folder(experiment.slug, experiment.public_id) != folder:
            return {}
        tree = with_guide(files_of(experiment, ShopRecords(catalog, shop_id)))
        return {f"{EXPERIMENTS}{folder}/{path}": content for path, content in tree.items()}

    def _readme(self, shop_id: str) -> str:
        del shop_id
        return (
            "# Workspace\n\n"
            "Files of your team next to files that the service generates. Generated ones are made when they are read, "
            "and cannot be\nwritten.\n\n"
            "- `backlog/ideas.md`: ideas in their order\n"
            "- `brand/context.md`: how the shop speaks; `brand/prompt.md`: the same as one text to write by\n"
            "- `experiments/index.md`: all experiments; `experiments/<slug>/`: the design of one as files\n"
            "- `store/facts.md`: facts about the store; `store/profile.json`: all that is known of it\n\n"
            "Everything else is yours: `briefs/` for briefs, `data/` for data, any other path for notes.\n"
        )

    def _brand(self, shop_id: str) -> str:
        context = read_brand(self.world.catalog, shop_id)
        voice = context.voice
        parts: dict[str, str | tuple[str, ...]] = {
            "Summary": context.summary,
            "Adjectives": voice.adjectives,
            "We always": voice.we_always,
            "We never": voice.we_never,
            "Banned phrases": voice.banned_phrases,
            "Calls to action": voice.cta_style,
            "Guardrails": context.guardrails,
            "Proof requirements": context.proof_requirements,
            "Notes": context.client_notes,
            "Guidelines": context.guidelines_text,
            "Brand files": "\n\n".join(f"{each.name}:\n\n{each.shown}" for each in context.excerpts),
        }
        sections = [f"# Brand context\n\nMode: {context.mode}. Status: {context.status}."]
        sections += [f"## {title}\n\n{_body(value)}" for title, value in parts.items() if value]
        return "\n\n".join(sections) + "\n"

    def _ideas(self, shop_id: str) -> str:
        return _list("Backlog", map(_idea_line, Ideas(self.world).heads_in_order(shop_id)), "no ideas yet")

    def _experiments(self, shop_id: str) -> str:
        heads = (head for head in every_head(self.world.catalog, shop_id, "EXP") if head.archived_at is None)
        return _list("Experiments", map(_experiment_line, heads), "none yet")

    def _facts(self, shop_id: str) -> str:
        facts = [fact for fact in self._profile(shop_id).facts if fact.status != "rejected"]
        lines = (f"{fact.key}: {fact.value} ({fact.status}; {fact.source_url})" for fact in facts)
        return _list("Facts about the store", lines, "nothing is known yet: start a run of the store profile")

    def _profile(self, shop_id: str) -> StoreProfile:
        return read_profile(self.world.catalog, shop_id, self.world.now())


def _folder(slug: str | None, public_id: str | None) -> str:
    """Return the slug; the public id without one, and for a slug that could be the public id of another experiment."""
    return slug if slug and not _IS_PUBLIC_ID.fullmatch(slug) else public_id or slug or ""


def _body(value: str | tuple[str, ...]) -> str:
    """Return a list, or a text as a quotation: what it has of headings must not look like those of this file."""
    return _quoted(value) if isinstance(value, str) else "\n".join(f"- {item}" for item in value)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _idea_line(head: Head) -> str:
    score = head.attributes["score"]
    shown = "" if score is None else f", score {float(score):g}"
    return f"{head.attributes['key']} {head.name} ({head.status}{shown})"


def _experiment_line(head: Head) -> str:
    folder = _folder(*(str(head.attributes[name] or "") for name in ("slug", "public_id")))
    return f"`experiments/{folder}/` {head.name} ({head.status})"


def _list(title: str, lines: Iterator[str], empty: str) -> str:
    body = "\n".join(f"- {line}" for line in islice(lines, MAX_LISTED))
    more = sum(1 for _ in lines)
    notice = f"\n\nAnd {more:,} more, which the API lists." if more else ""
    return f"# {title}\n\n{body or f'({empty})'}{notice}\n"
