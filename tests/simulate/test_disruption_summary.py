"""What a summary says of drains and evictions: which node took how long, who waited, how few were left."""

from pathlib import Path

import pytest

from lifecycle.simulation import Overrides, make_plan, take_inputs
from lifecycle.simulation.run import run
from lifecycle.simulation.stories import find_story
from lifecycle.simulation.summaries import SummarySink


def summarize(name: str) -> list[str]:
    path = name if name.endswith(".yaml") else str(find_story(name))
    reading = take_inputs([path])
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
        "total 2 of 3 drains done: 3m20s to 9m10.5s, 5m50.5s in all; budgets held them up for 4m55s",
        "evictions 4 pods evicted, 1 refused; 2 waited, 4m40s at most: web-… for budget app",
        "Deployment default/unrelated",
        "available 0 of 1 at least, so few for 40s in all, first at 3m20s",
        "evictions 1 pod evicted, none waited",
        "Deployment default/web",
        # From the first eviction until its replacement is ready, 40 s; then from 260 s to 540 s, and 40 s.
        "available 2 of 3 at least, so few for 6m0s in all, first at 3m20s",
        "evictions 3 pods evicted, 1 refused; 2 waited, 4m40s at most: web-… for budget app",
        "Budget default/app",
        "kept: 2 healthy pods needed, never fewer",
        "node-1 drained: 3m20s to 3m30s, 10s in all; 2 pods evicted",
        "node-3 not drained in time: 3m40s to 3m55s, 15s in all, 15s of it blocked; 0 pods evicted",
        "web-… stayed, refused for 15s for budget app",
        "node-2 drained: 4m20s to 9m10.5s, 4m50.5s in all, 4m40s of it blocked; 2 pods evicted",
        "web-… waited 4m40s for budget app",
    ]


def test_a_budget_that_a_crash_broke_is_told_as_broken(tmp_path: Path):
    """Evictions keep to budgets; what happens besides does not."""
    text = find_story("s30d-node-crash-under-a-budget").read_text()
    manifests, scenario = text.rsplit("\n---\n", 1)
    steps = (
        "  steps:\n  - {at: 150s, evict: {pod: web-0}}\n  - {at: 151s, delete: {kind: Pod, name: web-1}}\n"
    )
    head = scenario[: scenario.index("  steps:")]
    (tmp_path / "all.yaml").write_text(f"{manifests}\n---\n{head}{steps}  until: 250s\n")
    told = section_of(summarize(str(tmp_path / "all.yaml")))
    # Both of them end for 5 s and start for 5 s; the second is without the first from 151 s to 160 s.
    (kept,) = (line.strip() for line in told if "kept:" in line)
    assert kept == "not kept: 2 healthy pods needed, 1 fewer at worst, first at 2m31s, for 9s in all"


def test_where_nobody_was_evicted_nothing_is_said():
    assert "Drains and evictions" not in summarize("s01-plain-pod")


@pytest.mark.slow
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
    kept = [line.strip() for line in lines if "kept:" in line]
    needed = {"api": 59, "db": 8, "queue": 14, "web": 88}
    assert kept == [f"kept: {count} healthy pods needed, never fewer" for count in needed.values()]
