#!/usr/bin/env bash
# Builds the image of WorkerScreenshots from the files that git knows: build.sh [TAG] [options of docker build]
# For example: build.sh 111122223333.dkr.ecr.eu-central-1.amazonaws.com/abtest-browser:1.4.0, then `docker push` it.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v docker >/dev/null || { echo "no container engine: install Docker, or set DOCKER_HOST to one" >&2; exit 3; }
tag=${1:-abtest-browser}
shift || true
# No .dockerignore: what is not in the archive cannot reach the image.
git ls-files -z tools/browser_image functions/worker_screenshots shared/abtest ':!shared/abtest/storefront/src' |
  tar --create --null --files-from=- |
  docker build --platform linux/amd64 --file tools/browser_image/Dockerfile --tag "$tag" "$@" -
docker image inspect --format 'image {{.Id}}, {{.Size}} bytes, limit of Lambda 10,737,418,240' "$tag"
