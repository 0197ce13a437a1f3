"""Cold start: CPU time to import each function's handler, beside importing boto3 and making one client.

Whole processes, bytecode present, in turn; the median of the ratios pair by pair.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

from tests.support.template import function_handlers

RUNS = 7
BASELINE = "import boto3; boto3.client('dynamodb', region_name='us-east-1')"
PROBE = (
    "import json, resource, sys\n{code}\nu = resource.getrusage(resource.RUSAGE_SELF)\n"
    "sys.__stdout__.write(json.dumps([u.ru_utime + u.ru_stime, u.ru_maxrss / 1024]))"
)


def run(code: str, environment: dict[str, str]) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a fresh interpreter that runs the code."""
    command = [sys.executable, "-c", PROBE.format(code=code)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    cpu, memory = json.loads(done.stdout.splitlines()[-1])
    return cpu, memory


def main() -> None:
    environment = {**os.environ, "PYTHONPATH": f"shared{os.pathsep}functions", "AWS_DEFAULT_REGION": "us-east-1"}
    print(f"Cold import, CPU of a whole process, median of {RUNS}; baseline: {BASELINE}")
    for name, handler, variables in function_handlers(Path("template.yaml")):
        module = handler.rpartition(".")[0]
        env = {**environment, **variables}
        run(f"import {module}", env)
        pairs = [(run(f"import {module}", env), run(BASELINE, env)) for _ in range(RUNS)]
        ours = statistics.median(a[0] for a, _ in pairs)
        base = statistics.median(b[0] for _, b in pairs)
        ratio = statistics.median(a[0] / b[0] for a, b in pairs)
        memory = statistics.median(a[1] for a, _ in pairs)
        print(
            f"  {name:<18} {ours * 1000:7.0f} ms   boto3 {base * 1000:5.0f} ms   ratio {ratio:4.2f}   {memory:5.0f} MB"
        )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"  peak memory of any of them: {peak:.0f} MB")


if __name__ == "__main__":
    main()
