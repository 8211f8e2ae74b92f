"""`bench start`: `podline simulate` of one small manifest from nothing, against a Python that does nothing.

Both are started in turns; of each the least counts, as a neighbour on the machine only ever adds.
"""

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lifecycle.benches.report import Report

ALLOWED_SECONDS = 0.25
MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "nginx:1.27"}]}
"""
_TOP = Path(__file__).resolve().parents[2]


def run(turns: int) -> Report:
    """So many starts of each. The first one compiles what is not compiled yet."""
    bare, simulated = [sys.executable, "-c", "pass"], [sys.executable, "-m", "podline", "simulate", "-"]
    pairs = [(_measure(bare), _measure(simulated)) for _ in range(turns)]
    bare_seconds, simulate_seconds = (min(column) for column in zip(*pairs, strict=True))
    beyond = simulate_seconds - bare_seconds
    return Report(
        bench="start",
        work={"turns": turns},
        figures={
            "simulate_seconds": round(simulate_seconds, 3),
            "beyond_bare_seconds": round(beyond, 3),
            "allowed_seconds": ALLOWED_SECONDS,
        },
        limit_what="a Python that does nothing, processor seconds",
        limit_value=round(bare_seconds, 4),
        ratio=round(simulate_seconds / bare_seconds, 1),
    )


def _measure(command: Sequence[str]) -> float:
    """The processor seconds of a program from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=MANIFEST, cwd=_TOP, stdout=subprocess.DEVNULL, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
