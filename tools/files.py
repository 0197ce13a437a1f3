"""Experiments as folders: pull one, edit it, plan the change, apply it (docs/experiment-files.md).

    export API=https://…/api/v1 KEY=svc_sk_…
    python -m tools.files pull EXPERIMENT FOLDER    write the files of an experiment into an empty folder
    python -m tools.files plan FOLDER               print what the edited files would change
    python -m tools.files plan FOLDER --new         the same for a new experiment with these files
    python -m tools.files apply FOLDER              apply the last plan (--confirm-live-impact while it runs)

Needs Python's standard library only. The folder remembers its experiment and its plan in `.experiment`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.request
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.error import HTTPError, URLError

STATE = ".experiment"
GENERATED = "README.md"
SECONDS = 60


class RefusedError(Exception):
    """Request that the API refused, with its message."""


def call(method: str, path: str, body: Any = None) -> Any:
    """Return the response of the API at the address in $API, called with the key in $KEY."""
    request = urllib.request.Request(  # noqa: S310 - the operator names the address
        setting("API") + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {setting('KEY')}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as response:  # noqa: S310
            return json.load(response)
    except HTTPError as error:
        raise RefusedError(reason_of(error.code, error.read())) from error
    except URLError as error:
        raise RefusedError(f"{setting('API')} cannot be reached: {error.reason}") from error


def reason_of(status: int, body: bytes) -> str:
    """Return the message of an error, and a line for each field that it names."""
    try:
        error = json.loads(body)["error"]
        lines = [f"{status} {error['code']}: {error['message']}"]
        lines += [f"  {field['path']}: {field['message']}" for field in error.get("fields", [])]
    except (ValueError, LookupError, TypeError):  # something in front of the API answers
        return f"{status}: {body.decode(errors='replace')}"
    return "\n".join(lines)


def setting(name: str) -> str:
    """Return a variable of the environment. Raises RefusedError where it is missing."""
    value = os.environ.get(name)
    if not value:
        raise RefusedError("set API to the address of the API, such as https://…/api/v1, and KEY to a key of the shop")
    return value


def pull(experiment: str, folder: Path) -> None:
    """Write the files of an experiment. Raises RefusedError for a folder with other files."""
    if folder.exists() and any(folder.iterdir()):
        raise RefusedError(f"{folder} is not empty")
    tree = call("GET", f"/experiments/{experiment}/filesystem")
    for file in tree["files"]:
        path = PurePosixPath(file["path"])
        if path.is_absolute() or ".." in path.parts:
            raise RefusedError(f"{path} is outside of the folder")
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file["content"], encoding="utf-8", newline="")
    paths = [file["path"] for file in tree["files"] if not file["readonly"]]
    remember(folder, {"experiment": experiment, "tree_sha256": tree["tree_sha256"], "paths": paths})
    print(f"{len(tree['files'])} files in {folder}")


def plan(folder: Path, *, is_new: bool) -> None:
    """Print the plan of the folder as it is now, and remember it. Raises RefusedError for files with errors."""
    state = {} if is_new else remembered(folder)
    edit: dict[str, Any] = {"files": written(folder)}
    if not is_new:
        present = {file["path"] for file in edit["files"]}
        deletes = [path for path in state["paths"] if path not in present]
        edit |= {"base_tree_sha256": state["tree_sha256"], **({"deletes": deletes} if deletes else {})}
    planned = call("POST", f"{address(state)}/plan", edit)
    for operation in planned["operations"]:
        print(operation["diff"], end="")
    for kind in ("warnings", "errors"):
        for each in planned[kind]:
            line = f":{each['line']}:{each['column']}" if each["line"] else ""
            print(f"{kind[:-1]}: {each['path']}{line}: {each['message']}")
    for each in planned["live_impact"]:
        print(f"live: shoppers of {each['consumer']} {each['name']} would notice")
    if not planned["ok"]:
        raise RefusedError("nothing can be applied before the errors are corrected")
    remember(folder, {**state, "edit": edit, "plan_sha256": planned["planSha256"]})
    print(f"{len(planned['operations'])} files would change; the plan can be applied until {planned['expiresAt']}")


def apply(folder: Path, *, confirmed: bool) -> None:
    """Apply the last plan of the folder, which then is the experiment's own. Raises RefusedError without a plan."""
    state = remembered(folder)
    if "plan_sha256" not in state:
        raise RefusedError(f"{folder} has no plan; plan it first")
    body = {**state["edit"], "plan_sha256": state["plan_sha256"]}
    done = call("POST", f"{address(state)}/apply", body | ({"confirm_live_impact": True} if confirmed else {}))
    tree = call("GET", f"/experiments/{done['experimentId']}/filesystem")
    paths = [file["path"] for file in tree["files"] if not file["readonly"]]
    remember(folder, {"experiment": done["experimentId"], "tree_sha256": tree["tree_sha256"], "paths": paths})
    print(f"experiment {done['experimentId']}: {'changed' if done['applied'] else 'nothing to change'}")


def written(folder: Path) -> list[dict[str, str]]:
    """Return the files of a folder, without hidden ones and without the generated one.

    Raises RefusedError for a file that is not UTF-8.
    """
    names = sorted(path for path in folder.rglob("*") if path.is_file())
    relative = [path.relative_to(folder) for path in names]
    return [
        {"path": path.as_posix(), "content": text_of(folder / path)}
        for path in relative
        if not any(part.startswith(".") for part in path.parts) and path.as_posix() != GENERATED
    ]


def text_of(path: Path) -> str:
    """Return the text of a file. Raises RefusedError where it is not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedError(f"{path} is not UTF-8: byte {error.start + 1} cannot be read") from error


def address(state: dict[str, Any]) -> str:
    """Return the address of the files of the folder's experiment, or of a new one."""
    experiment = state.get("experiment")
    return f"/experiments/{experiment}/filesystem" if experiment else "/experiments/filesystem"


def remembered(folder: Path) -> dict[str, Any]:
    """Return what the folder remembers. Raises RefusedError for a folder that was not pulled."""
    try:
        return dict(json.loads((folder / STATE).read_text()))
    except FileNotFoundError as error:
        raise RefusedError(f"{folder} was not pulled; plan --new makes a new experiment of its files") from error


def remember(folder: Path, state: dict[str, Any]) -> None:
    """Store what the folder remembers."""
    (folder / STATE).write_text(json.dumps(state))


def main(arguments: list[str] | None = None) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="python -m tools.files", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    pulling = commands.add_parser("pull")
    pulling.add_argument("experiment")
    pulling.add_argument("folder", type=Path)
    planning = commands.add_parser("plan")
    planning.add_argument("folder", type=Path)
    planning.add_argument("--new", action="store_true")
    applying = commands.add_parser("apply")
    applying.add_argument("folder", type=Path)
    applying.add_argument("--confirm-live-impact", action="store_true")
    given = parser.parse_args(arguments)
    try:
        if given.command == "pull":
            pull(given.experiment, given.folder)
        elif given.command == "plan":
            plan(given.folder, is_new=given.new)
        else:
            apply(given.folder, confirmed=given.confirm_live_impact)
    except RefusedError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
