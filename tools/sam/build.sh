#!/usr/bin/env bash
# sam build, then two things it leaves out: Python bytecode (a third of a cold start) and a look at the sizes.
set -euo pipefail
cd "$(dirname "$0")/../.."
export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1} PYTHONPATH=shared:functions:.
limit=262144000 # bytes unzipped, function and layers together

.local/venvs/sam/bin/sam build >/dev/null 2>.aws-sam-build.log || { cat .aws-sam-build.log >&2; rm -f .aws-sam-build.log; exit 1; }
rm -f .aws-sam-build.log
build=.aws-sam/build

# The tests of numpy and scipy are a third of their layer; numpy.testing, which scipy imports, needs one module of them.
find "$build/ScienceLayer" -path '*/tests/*' -type f ! -path '*/numpy/_core/tests/_natype.py' ! -name __init__.py -delete
# Functions use scipy.special alone (scipy.stats is banned: it triples a cold start); it imports none of these.
rm -rf "$build"/ScienceLayer/python/scipy/{stats,signal,io,ndimage,cluster,interpolate,spatial,integrate,datasets}
python3.11 -m compileall -q --invalidation-mode unchecked-hash "$build" >/dev/null

.venv/bin/python tools/sam/sizes.py "$build" "$limit"
