"""Files as bodies of the API: the fields that differ from an experiment, or all of a new one.

Values are checked where every other request is, by the contract and the rules of experiments. Here are the rules that
only files have: which files and names there are, and that each is JSON.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from abtest.domain.experiment_files import paths
from abtest.domain.experiment_files.part_names import block_names, is_name
from abtest.domain.experiment_files.paths import Place, place_of
from abtest.domain.experiment_files.positions import Pointer, position_at, problem_of_json
from abtest.domain.experiment_files.problems import MAX_ERRORS, Problem
from abtest.domain.experiment_files.texts import MAX_DEPTH, Tree
from abtest.kit import canonical_json
from abtest.kit.canonical_json import Json

MAX_NAMES = 50
"""Names in one list: URL blocks of a variation, or goals. Of variations there are fewer."""

ORDER = "variations"
BLOCK_ORDER = "url_blocks"


@dataclass(slots=True)
class Sheets:
    """Files as values, and the problems that they have.

    `folders` are those of the variations in their order; `blocks` are the names of their blocks, by folder.
    """

    tree: Tree
    documents: dict[str, Json] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    blocks: dict[str, list[str]] = field(default_factory=dict)

    def report(self, path: str, pointer: Pointer, message: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(path, pointer, message))

    def document(self, path: str) -> dict[str, Json]:
        """Return the object of a file; an empty one where the file has none."""
        value = self.documents.get(path)
        return value if isinstance(value, dict) else {}

    def items(self, path: str) -> list[Json]:
        """Return the list of a file; an empty one where the file has none."""
        value = self.documents.get(path)
        return value if isinstance(value, list) else []


def sheets_of(tree: Tree) -> Sheets:
    """Return the values of all files of a tree whose paths are those of experiments."""
    sheets = Sheets(tree)
    places = {path: place for path in tree if (place := place_of(path)) is not None}
    for path in places:
        if path.endswith(".json"):
            _read_json(sheets, path)
    if paths.EXPERIMENT not in tree:
        sheets.report(paths.EXPERIMENT, (), "is missing; every experiment has it")
    _order_variations(sheets, places)
    for folder in sheets.folders:
        _order_blocks(sheets, folder, places)
    return sheets


def refuse_unknown(
    sheets: Sheets, path: str, given: Mapping[str, Json], known: Sequence[str], at: Pointer = ()
) -> None:
    """Report the names of an object that its file does not have."""
    for name in [name for name in given if name not in known][:MAX_ERRORS]:
        near = get_close_matches(str(name)[:100], known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        sheets.report(path, (*at, name), f"is not a field of this file{hint}")


def _read_json(sheets: Sheets, path: str) -> None:
    text = sheets.tree[path]
    is_list = path == paths.GOALS or path.endswith("/mutations.json")
    if text.startswith("\ufeff"):
        sheets.problems.append(Problem(path, (), "must not begin with a byte order mark", position_at(text, 0)))
        return
    try:
        value = canonical_json.loads_request(text)
    except canonical_json.InvalidJsonError as error:
        position, message = problem_of_json(text, error)
        sheets.problems.append(Problem(path, (), message, position))
        return
    if not isinstance(value, list if is_list else dict):
        sheets.report(path, (), "must be a list" if is_list else "must be an object")
    elif canonical_json.is_deeper(value, MAX_DEPTH):
        sheets.report(path, (), f"is nested more than {MAX_DEPTH} levels deep")
    else:
        sheets.documents[path] = value


def _order_variations(sheets: Sheets, places: Mapping[str, Place]) -> None:
    present = sorted({place.folder for place in places.values() if place.folder})
    for folder in present:
        if paths.in_variation(folder, "variation.json") not in sheets.tree:
            missing = paths.in_variation(folder, "variation.json")
            sheets.report(missing, (), "is missing; every folder of variations has it")
    document = sheets.document(paths.EXPERIMENT)
    if ORDER not in document:
        sheets.folders = present
        return
    listed = _names(sheets, paths.EXPERIMENT, document[ORDER], ORDER, "a folder of variations")
    for index, folder in enumerate(listed):
        if folder not in present:
            message = f"variations/{folder}/variation.json is missing"
            sheets.report(paths.EXPERIMENT, (ORDER, index), message)
    sheets.folders = [folder for folder in listed if folder in present]
    for folder in present:
        if folder not in listed:
            path = paths.in_variation(folder, "variation.json")
            sheets.report(path, (), f"add {folder} to {ORDER} of {paths.EXPERIMENT}, or delete the files of its folder")


def _order_blocks(sheets: Sheets, folder: str, places: Mapping[str, Place]) -> None:
    owner = paths.in_variation(folder, "variation.json")
    present = sorted({place.block for place in places.values() if place.folder == folder and place.block})
    order = sheets.document(owner).get(BLOCK_ORDER)
    listed = [] if order is None else _names(sheets, owner, order, BLOCK_ORDER, "a file of blocks")
    for index, name in enumerate(listed):
        if paths.in_block(folder, name, "json") not in sheets.tree:
            sheets.report(owner, (BLOCK_ORDER, index), f"blocks/{name}.json is missing")
    for name in present:
        if name not in listed:
            path = next(part for part in ("json", "css", "js") if paths.in_block(folder, name, part) in sheets.tree)
            message = f"add {name} to {BLOCK_ORDER} of {owner}, or delete the files of the block"
            sheets.report(paths.in_block(folder, name, path), (), message)
    sheets.blocks[folder] = [name for name in listed if paths.in_block(folder, name, "json") in sheets.tree]
    _check_block_ids(sheets, folder)


def _check_block_ids(sheets: Sheets, folder: str) -> None:
    """Report files of blocks whose name is not that of their id: such a file would have another name when read."""
    names = sheets.blocks[folder]
    given = [sheets.document(paths.in_block(folder, name, "json")).get("id", name) for name in names]
    ids = [each for each in given if isinstance(each, str)]
    if len(ids) < len(given):
        return  # the contract refuses them
    for name, right in zip(names, block_names(ids), strict=True):
        if name != right:
            path = paths.in_block(folder, name, "json")
            sheets.report(path, ("id",), f"leave id out, or name the files of this block {right}")


def _names(sheets: Sheets, path: str, value: Json, at: str, noun: str) -> list[str]:
    """Return the different names of a list, and report everything else in it."""
    if not isinstance(value, list) or len(value) > MAX_NAMES:
        sheets.report(path, (at,), f"must be a list of at most {MAX_NAMES} names")
        return []
    names: list[str] = []
    for index, name in enumerate(value):
        if not is_name(name):
            sheets.report(path, (at, index), f"must be the name of {noun}; a name {paths.NAME_RULE}")
        elif name in names:
            sheets.report(path, (at, index), "is in the list twice")
        else:
            names.append(name)
    return names
