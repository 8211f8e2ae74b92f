"""The scenarios whose histories are kept by their hashes, how they are lived through and written down."""

import json
from pathlib import Path

from lifecycle.engine import Cluster
from lifecycle.simulation import Outcome, Overrides, make_plan, take_inputs
from lifecycle.simulation.run import Driver
from lifecycle.simulation.stories import find_story
from lifecycle.simulation.traces import NdjsonSink

HERE = Path(__file__).parent
HASHES = HERE / "hashes.json"

RELEASE = "v1.35"
"""What the clusters of these histories are of."""
TIMINGS = ("realistic", "instant")
# Of the gallery, what together goes through all that the engine does; of here, what the gallery lacks.
FROM_GALLERY = """
    nginx-rolling-update slow-pre-stop drains-sessions probed-deployment crash-loop s05-exit-42
    s06-restart-all-containers s07-crash-loop-and-reset s14-kubelet-restart s15-hook-overruns
    s16-forced-node-unreachable s17-sidecars-end-in-order s18-http-liveness s19-startup-in-budget
    s26-liveness-hook s27-soft-eviction s28-init-waits-for-services s31-log-shipper-restarts
    s33-memory-pressure s34-user-namespaces s35-downward-api s36-scheduling-gates s38-kubelet-restart
    s39-register-pod s40-resize-by-replacement s40-resize-in-place shared-processes
    sidecar-service-mesh static-control-plane
""".split()
FROM_HERE = sorted(path.stem for path in HERE.glob("*.yaml"))
NAMES = (*FROM_GALLERY, *FROM_HERE)

# Scenario -> timing -> hash.
Hashes = dict[str, dict[str, str]]


class SavingDriver(Driver):
    """Goes on with a cluster that was saved and loaded, at every step and at every `slice_ms` between."""

    slice_ms = 7_001

    def _borders(self) -> list[int]:
        last_ms = max([20 * self.slice_ms, *(until.at_ms or 0 for until in self.plan.untils)])
        return sorted({*super()._borders(), *range(self.slice_ms, last_ms, self.slice_ms)})

    def _settle(self) -> None:
        super()._settle()
        saved = json.loads(json.dumps(self.cluster.save()))
        self.cluster = Cluster.load(saved)


def path_of(name: str) -> Path:
    """The file of a scenario."""
    return HERE / f"{name}.yaml" if name in FROM_HERE else find_story(name)


def live_through(name: str, timing: str, make_driver: type[Driver] = Driver) -> tuple[str, Outcome]:
    """Run a scenario as `manage.py simulate` does; the hash in its trace's last line, and how it ended."""
    lines: list[bytes] = []
    sink = NdjsonSink(lines.append)
    plan = make_plan(
        take_inputs([str(path_of(name))]).require_sound(), Overrides(timing=timing, kubernetes=RELEASE)
    )
    outcome = make_driver(plan, sink).run()
    sink.finish(outcome)
    return json.loads(lines[-1])["hash"], outcome


def read_hashes() -> tuple[int, Hashes]:
    """The version of the engine that the written hashes belong to, and the hashes."""
    ((version, hashes),) = json.loads(HASHES.read_text()).items()
    return int(version), hashes


def write_hashes(version: int, hashes: Hashes) -> None:
    """Write all hashes down; those of other versions go."""
    HASHES.write_text(json.dumps({str(version): hashes}, indent=2) + "\n")
