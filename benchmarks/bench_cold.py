"""Cold start: CPU time to import each function's handler, compared with a bare program in the same run.

Edge functions, workers and jobs are compared with importing boto3 and making one client. Management functions are
compared with the same and with a bare FastAPI + Mangum + Powertools + DynamoDB client app of as many routes
(`benchmarks/cold/bare_management.py`); the analytics family, which computes statistics, also with that app and
`scipy.special`. Whole processes, bytecode present, in turn. Each figure is the least of all
rounds: other work on the machine only ever adds. `ARGS="--rounds 15"`, `ARGS="--only ApiFlags ApiExperiments"`.
"""

import argparse
import compileall
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from math import inf
from pathlib import Path

from tests.support.template import function_handlers

ROUNDS = 7
BOTO3 = "import boto3; boto3.client('dynamodb', region_name='us-east-1')"
BARE_APP = "import benchmarks.cold.bare_management"
# The peak is read from /proc: that of getrusage still counts the process that this one was forked from.
PROBE = (
    "import json, pathlib, sys, time\n{code}\ncpu = time.process_time()\n"
    "status = pathlib.Path('/proc/self/status').read_text()\n"
    "sys.__stdout__.write(json.dumps([cpu, int(status.partition('VmHWM:')[2].split()[0]) / 1024]))"
)
FOLDERS = ("shared", "functions")


@dataclass
class Program:
    """A program, and the least CPU seconds and megabytes that one of its processes took."""

    code: str
    environment: dict[str, str]
    seconds: float = inf
    megabytes: float = inf

    def run(self) -> None:
        """Measure a fresh interpreter that runs the program."""
        command = [sys.executable, "-c", PROBE.format(code=self.code)]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, check=True)
        seconds, megabytes = json.loads(done.stdout.splitlines()[-1])
        self.seconds, self.megabytes = min(self.seconds, seconds), min(self.megabytes, megabytes)

    def __str__(self) -> str:
        return f"{self.seconds * 1000:5.0f} ms {self.megabytes:4.0f} MB"


@dataclass
class Start:
    """A function's start and the bare programs that it is compared with, by name."""

    name: str
    ours: Program
    baselines: dict[str, Program]

    def measure(self) -> None:
        """One round: the start, then each baseline."""
        for program in (self.ours, *self.baselines.values()):
            program.run()

    def report(self) -> str:
        """A row of the table."""
        compared = [
            f"{name} {program}, ratio {self.ours.seconds / program.seconds:4.2f}"
            for name, program in self.baselines.items()
        ]
        return f"  {self.name:<20} {self.ours}   " + "   ".join(compared)


def starts() -> Iterator[Start]:
    """Every function of the template."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPATH": os.pathsep.join((*FOLDERS, ".")), "AWS_DEFAULT_REGION": "us-east-1"}
    for name, handler, variables in function_handlers(Path("template.yaml")):
        module = handler.rpartition(".")[0]
        baselines = {"boto3 client": Program(BOTO3, environment)}
        if name.startswith("Api"):
            routers = import_module(f"{module.partition('.')[0]}.routes").ROUTERS
            count = sum(len(router.routes) for router in routers)
            of_as_many = {**environment, "BARE_ROUTES": str(count)}
            baselines[f"bare app, {count} routes"] = Program(BARE_APP, of_as_many)
            if name == "ApiAnalytics":
                baselines["bare app that computes"] = Program(f"{BARE_APP}, scipy.special", of_as_many)
        yield Start(name, Program(f"import {module}", {**environment, **variables}), baselines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", nargs="*", help="logical ids of functions")
    options = parser.parse_args()
    for folder in (*FOLDERS, "benchmarks/cold"):
        compileall.compile_dir(folder, quiet=1)
    chosen = [start for start in starts() if not options.only or start.name in options.only]
    for _ in range(options.rounds):
        for start in chosen:
            start.measure()
    print(f"Cold import, CPU and peak memory of a whole process, least of {options.rounds}")
    for start in chosen:
        print(start.report())


if __name__ == "__main__":
    main()
