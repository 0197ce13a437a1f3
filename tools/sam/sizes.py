"""Prints what each function unzips to with its layers, and fails when one is over Lambda's limit."""

import sys
from pathlib import Path

from tools.local.template.document import load


def tree_bytes(folder: Path) -> int:
    """Size of all files below the folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def layers_of_functions(template: Path) -> dict[str, list[str]]:
    """Logical id of each function to those of its layers; images have none, and a limit of their own."""
    return {
        name: [layer["Ref"] for layer in resource["Properties"].get("Layers", [])]
        for name, resource in load(template).resources.items()
        if resource["Type"] == "AWS::Serverless::Function" and resource["Properties"].get("PackageType") != "Image"
    }


def layers_without_functions(template: Path) -> dict[str, list[str]]:
    """Logical id of each layer that no function has yet, to the layers that every function has."""
    used = layers_of_functions(template).values()
    common = set.intersection(*map(set, used))
    layers = [name for name, each in load(template).resources.items() if each["Type"].endswith("::LayerVersion")]
    return {name: sorted(common) for name in layers if not any(name in each for each in used)}


def main(build: Path, limit: int) -> int:
    sizes = {folder.name: tree_bytes(folder) for folder in build.iterdir() if folder.is_dir()}
    over = 0
    template = Path("template.yaml")
    for name, layers in (layers_of_functions(template) | layers_without_functions(template)).items():
        total = sizes[name] + sum(sizes[layer] for layer in layers)
        over += total > limit
        print(f"  {name:<16} {total / 1e6:7.1f} MB of {limit / 1e6:.1f}{'  TOO LARGE' if total > limit else ''}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
