"""`bench recover`: kill -9 at random instants of worker, web server and Redis while a cluster rolls out.

Nothing may be lost or doubled: in the end the recorded history is compared, row for row, with an
uninterrupted run of the recorded commands.
"""

import os
import random
import signal
import time

from lifecycle import inbox
from lifecycle.benches import workload
from lifecycle.benches.installation import Installation, installation
from lifecycle.benches.replay import find_difference
from lifecycle.benches.report import Report
from lifecycle.models import Cluster, Command, Shard

# A take-over may take this long.
LIMIT_SECONDS = 5.0
PATIENCE_SECONDS = 60.0


def run(kills: int, pods: int) -> Report:
    """Kill, ask for a change, wait until it is answered; again."""
    # Which process and when is drawn anew each time: the point is that any instant will do.
    draw = random.SystemRandom()
    waits: dict[str, list[float]] = {"worker": [], "web": [], "redis": []}
    with installation(workers=2) as podline:
        cluster = inbox.create_cluster(podline.owner(), "recover", speed=5.0)
        inbox.append(cluster, "create", {"object": workload.make_deployment(pods)})
        asked: list[Command] = []
        for number in range(kills):
            role = ("worker", "worker", "web", "redis")[number % 4]
            asked.append(_change(cluster, number))
            time.sleep(draw.uniform(0.0, 0.6))
            waits[role].append(_kill_and_wait(podline, cluster, role, draw))
            asked.append(_change(cluster, number + kills))
        unanswered = [
            command for command in asked if inbox.wait_for_result(command, PATIENCE_SECONDS) is None
        ]
        inbox.wait_for_control(inbox.pause(cluster), PATIENCE_SECONDS)
        difference = find_difference(cluster)
    slowest = max(seconds for all_of_role in waits.values() for seconds in all_of_role)
    return Report(
        bench="recover",
        work={"kills": kills, "pods": pods, "commands": len(asked)},
        figures={
            "slowest_seconds": round(slowest, 3),
            "lost_commands": len(unanswered),
            "rows": cluster.seq,
            "difference": difference or "none",
        }
        | {f"{role}_seconds": round(max(seconds), 3) for role, seconds in waits.items() if seconds},
        limit_what="seconds a take-over may take",
        limit_value=LIMIT_SECONDS,
        ratio=round(slowest / LIMIT_SECONDS, 4),
    )


def _change(cluster: Cluster, number: int) -> Command:
    """Another image: a rollout that the next kill may meet."""
    target = {"kind": "Deployment", "namespace": "default", "name": "web"}
    return inbox.append(cluster, "setImage", target | {"container": "web", "image": f"nginx:1.{number}"})


def _kill_and_wait(podline: Installation, cluster: Cluster, role: str, draw: random.Random) -> float:
    """Seconds from the kill until a command asked for afterwards is answered."""
    victims = podline.children(role)
    if role == "worker":
        serving = Shard.objects.get(number=cluster.shard).worker.rpartition("-")[2]
        victims = [pid for pid in victims if str(pid) == serving] or victims
    os.kill(draw.choice(victims), signal.SIGKILL)
    started = time.monotonic()
    probe = inbox.append(cluster, "scale", _scale(draw.randrange(5, 15)))
    inbox.wait_for_result(probe, PATIENCE_SECONDS)
    return time.monotonic() - started


def _scale(replicas: int) -> dict[str, object]:
    return {"kind": "Deployment", "namespace": "default", "name": "web", "replicas": replicas}
