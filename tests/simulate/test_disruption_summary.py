"""What a summary says of drains and evictions: which node took how long, who waited, how few were left."""

import pytest

from lifecycle.simulation import Overrides, make_plan, take_inputs
from lifecycle.simulation.run import run
from lifecycle.simulation.summaries import SummarySink
from tests.simulate.running import GALLERY


def summarize(name: str) -> list[str]:
    reading = take_inputs([str(GALLERY / f"{name}.yaml")])
    plan = make_plan(reading.documents, Overrides())
    written: list[bytes] = []
    sink = SummarySink(written.append, plan)
    sink.finish(*run(plan, sink))
    return b"".join(written).decode().splitlines()


def section_of(lines: list[str]) -> list[str]:
    """The part about drains, names of pods cut to their workload's."""
    start = lines.index("Drains and evictions")
    end = next(at for at, line in enumerate(lines) if at > start and not line.startswith(" "))
    return lines[start + 1 : end]


@pytest.mark.spec("PDB-20", "PDB-22")
def test_a_summary_tells_of_drains_and_of_whom_they_cost():
    told = section_of(summarize("s29-drain-with-a-budget"))
    lines = [" ".join("web-…" if "/web-" in word else word for word in line.split()) for line in told]
    assert lines == [
        "node-1 drained: 200.000s to 210.000s, 10.000s in all; 2 pods evicted",
        "node-3 not drained in time: 220.000s to 235.000s, 15.000s in all, 15.000s of it blocked;"
        " 0 pods evicted",
        "web-… stayed, refused for 15.000s for budget app",
        "node-2 drained: 260.000s to 550.500s, 290.500s in all, 280.000s of it blocked; 2 pods evicted",
        "web-… waited 280.000s for budget app",
        "total 2 of 3 drains done: 200.000s to 550.500s, 350.500s in all",
        "evictions 4 pods evicted, 1 refused; 2 waited, 280.000s at most: web-… for budget app",
        "Deployment default/unrelated",
        "available 0 of 1 at least: first at 200.000s, for 40.000s in all",
        "evictions 1 pod evicted, none waited",
        "Deployment default/web",
        # From the first eviction until its replacement is ready, 40 s; then from 260 s to 540 s, and 40 s.
        "available 2 of 3 at least: first at 200.000s, for 360.000s in all",
        "evictions 3 pods evicted, 1 refused; 2 waited, 280.000s at most: web-… for budget app",
    ]


def test_where_nobody_was_evicted_nothing_is_said():
    assert "Drains and evictions" not in summarize("s01-plain-pod")


def test_a_rolling_drain_tells_of_every_node_and_workload():
    lines = section_of(summarize("rolling-drain-of-every-node"))
    assert sum(" drained: " in line for line in lines) == 30
    assert next(line for line in lines if line.startswith("  total")).startswith(
        "  total     30 of 30 drains done"
    )
    shown = [line.strip() for line in lines if line.startswith(("  Deployment", "  StatefulSet"))]
    assert shown == [f"Deployment shop/{one}" for one in ("api", "web", "worker")] + [
        f"StatefulSet shop/{one}" for one in ("db", "queue")
    ]
    least = {"api": "59 of 60", "web": "88 of 90", "db": "8 of 9", "queue": "14 of 15"}
    for name, text in least.items():
        at = next(place for place, line in enumerate(lines) if line.endswith(f" shop/{name}"))
        assert lines[at + 1].startswith(f"    available  {text} at least")
