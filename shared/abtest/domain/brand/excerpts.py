"""Excerpts of brand files: which wait, which were read, and why one cannot be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from abtest.domain.brand.phrases import has_words
from abtest.kit.visible_text import has_visible, without_unsafe

MAX_FILES, MAX_EXCERPT = 20, 2_000
"""Files of a shop, characters of an excerpt."""

JOBS_AN_HOUR = 20
"""Jobs that read files of a shop; all shops share their queue."""

Problem = Literal["encrypted", "damaged", "too_large", "no_text", "deleted", "given_up"]

PROBLEMS: Mapping[Problem, str] = {
    "encrypted": "the file is encrypted; upload one without a password and without restrictions",
    "damaged": "the file is damaged",
    "too_large": "it takes too much time or memory to read; upload a shorter file",
    "no_text": "its first pages have no text, as pictures of pages do",
    "deleted": "the asset was deleted",
    "given_up": "reading it failed; send asset_ids again to repeat it",
}
"""Sentences for people, by problem."""

BEING_READ = "(being read)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Result for one file: the beginning of its text, or why there is none."""

    text: str = ""
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Beginning of the text of a brand file. `job_id` is the job that is to read it; None once there is a result.

    `name` is that of the asset when the shop sent its id.
    """

    asset_id: str
    name: str
    job_id: str | None = None
    text: str = ""
    problem: Problem | None = None

    @property
    def shown(self) -> str:
        """Return the text, or its state in parentheses."""
        if self.problem:
            return f"(cannot be read: {PROBLEMS[self.problem]})"
        return BEING_READ if self.job_id else self.text


def chosen(
    before: Sequence[Excerpt], asset_ids: Sequence[str], names: Mapping[str, str], job_id: str
) -> tuple[Excerpt, ...]:
    """Return the excerpts of these assets. The job is to read new ones, and those that could not be read.

    `names` are those of the assets that exist. An excerpt whose asset was deleted stays as it is.
    """
    known = {excerpt.asset_id: excerpt for excerpt in before}
    return tuple(_chosen(known.get(asset_id), asset_id, names.get(asset_id), job_id) for asset_id in asset_ids)


def waiting_for(excerpts: Sequence[Excerpt], job_id: str) -> list[str]:
    """Return the ids of the assets that a job is to read."""
    return [excerpt.asset_id for excerpt in excerpts if excerpt.job_id == job_id]


def attached(excerpts: Sequence[Excerpt], job_id: str, readings: Mapping[str, Reading]) -> tuple[Excerpt, ...]:
    """Return the excerpts with the results of a job, which counts only where it is still the one that is waited for."""
    return tuple(
        replace(excerpt, job_id=None, text=reading.text, problem=reading.problem)
        if excerpt.job_id == job_id and (reading := readings.get(excerpt.asset_id))
        else excerpt
        for excerpt in excerpts
    )


def joined_text(pages: Sequence[str]) -> str:
    """Return the text of pages without what no store or reader can use; "" for text without letters and digits.

    Lines keep their order, runs of white space become one space, blank lines go.
    """
    lines = [" ".join(without_unsafe(line).split()) for page in pages for line in _well_formed(page).splitlines()]
    text = "\n".join(line for line in lines if has_visible(line))
    return text if has_words(text[:MAX_EXCERPT]) else ""


def _chosen(known: Excerpt | None, asset_id: str, name: str | None, job_id: str) -> Excerpt:
    if known and (known.text or known.job_id or name is None):
        return replace(known, name=name or known.name)
    return Excerpt(asset_id=asset_id, name=name or "", job_id=job_id)


def _well_formed(text: str) -> str:
    """Join the halves of characters beyond U+FFFF, as fonts map to them, and replace halves without their other one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
