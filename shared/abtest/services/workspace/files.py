"""Use cases of workspace files: own and generated ones in one list."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from abtest.contract.workspace import WorkspaceFile
from abtest.domain.workspace.files import FileKind, kind_of
from abtest.kit import canonical_json
from abtest.kit.errors import NotFoundError
from abtest.services.context import Caller
from abtest.services.listing import PAGE_BYTES, every_head
from abtest.services.retries import Versions
from abtest.services.workspace.generated import EXPERIMENTS, GeneratedFiles
from abtest.services.workspace.store import WorkspaceFiles

Maker = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Workspace:
    """Files of shops."""

    own: WorkspaceFiles
    generated: GeneratedFiles

    def get(self, shop_id: str, path: str) -> WorkspaceFile:
        """One file. Raises NotFoundError."""
        if maker := self._generated(shop_id, path).get(path):
            return WorkspaceFile.generated(path, maker())
        return self._own(shop_id, path)

    def page(
        self, shop_id: str, *, prefix: str, kind: FileKind | None, limit: int, after: str | None
    ) -> tuple[list[WorkspaceFile], str | None]:
        """Files by path, and the path that continues the list. A page ends before 4.5 MB."""
        files: list[WorkspaceFile] = []
        size = 0
        for read in self._readers(shop_id, prefix, kind, after):
            try:
                file = read()
            except NotFoundError:  # deleted meanwhile
                continue
            # As the response has it: signs that JSON escapes take two to six bytes there.
            size += len(canonical_json.encode(file.content))
            if len(files) == limit or (size > PAGE_BYTES and files):
                return files, files[-1].path
            files.append(file)
        return files, None

    def put(
        self, caller: Caller, path: str, content: str, expected_sha256: str | None, expected_version: Versions
    ) -> WorkspaceFile:
        """Write an own file. Raises what the store raises."""
        saved = self.own.put(caller, path, content, expected_sha256=expected_sha256, expected_version=expected_version)
        return WorkspaceFile.of(saved.value)

    def delete(self, caller: Caller, path: str, expected_version: Versions) -> None:
        """Delete an own file. Raises what the store raises."""
        self.own.delete(caller, path, expected_version=expected_version)

    def _readers(
        self, shop_id: str, prefix: str, kind: FileKind | None, after: str | None
    ) -> Iterator[Callable[[], WorkspaceFile]]:
        """Yield the readers of the files of a list, in the order of their paths."""
        made = self._generated(shop_id, prefix)
        own = {head.id for head in every_head(self.own.world.catalog, shop_id, "FILE")}
        for path in sorted(own | made.keys()):
            if path.startswith(prefix) and kind in (None, kind_of(path)) and (after is None or path > after):
                yield self._reader(shop_id, path, made.get(path))

    def _reader(self, shop_id: str, path: str, maker: Maker | None) -> Callable[[], WorkspaceFile]:
        if maker is None:
            return partial(self._own, shop_id, path)
        return lambda: WorkspaceFile.generated(path, maker())

    def _own(self, shop_id: str, path: str) -> WorkspaceFile:
        return WorkspaceFile.of(self.own.get(shop_id, path))

    def _generated(self, shop_id: str, prefix: str) -> dict[str, Maker]:
        """Return the makers of generated files, those of an experiment where the prefix names its folder."""
        makers: dict[str, Maker] = {path: partial(make, shop_id) for path, make in self.generated.fixed().items()}
        folder, slash, _ = prefix.removeprefix(EXPERIMENTS).partition("/")
        if prefix.startswith(EXPERIMENTS) and slash:
            makers |= {path: partial(str, text) for path, text in self.generated.of_experiment(shop_id, folder).items()}
        return makers
