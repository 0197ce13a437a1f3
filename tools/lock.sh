#!/usr/bin/env bash
# Resolves every requirements file again: pinned, with hashes, and without the address of any index.
set -euo pipefail
cd "$(dirname "$0")/.."
for source in layers/*/requirements.in requirements/*.in tools/browser_image/requirements.in; do
  .venv/bin/uv pip compile --quiet --upgrade --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
    "$source" -o "${source%.in}.txt"
  echo "locked ${source%.in}.txt"
done
