"""Cold import of the function that serves the console's files, next to bare Python, each in a process of its own."""

import compileall

from benchmarks.bench_cold import FOLDERS, Program, starts
from benchmarks.console.table import row

ROUNDS, AGAINST_PYTHON = 11, 2.0


def report() -> None:
    """Print processor time and peak memory of both, the least of all rounds, in turn."""
    for folder in FOLDERS:
        compileall.compile_dir(folder, quiet=1)
    (shell,) = (start.ours for start in starts() if start.name == "ConsoleShell")
    files = {**shell.environment, "PYTHONPATH": f"{shell.environment['PYTHONPATH']}:layers/console"}
    ours, bare = Program(shell.code, files), Program("pass", files)
    for _ in range(ROUNDS):
        ours.run()
        bare.run()
    print("Cold import of console_shell, CPU and peak memory of a whole process")
    row("console_shell", str(ours), "bare Python", str(bare), ours.seconds / bare.seconds, AGAINST_PYTHON)
