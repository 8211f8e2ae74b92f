"""The clusters in `old_checkpoints`, each as the commit of its name kept it, put into a test's database."""

import gzip
import json
from pathlib import Path
from typing import Any
from uuid import UUID

from lifecycle import frames
from lifecycle.models import Checkpoint, Cluster, Command, StoredObject
from lifecycle.runs import checkpoints

FOLDER = Path(__file__).parent / "old_checkpoints"
COMMITS = sorted(path.name.partition(".")[0] for path in FOLDER.glob("*.json.gz"))


def read(commit: str) -> dict[str, Any]:
    """One file: the cluster's columns, commands, objects and checkpoints."""
    return json.loads(gzip.decompress((FOLDER / f"{commit}.json.gz").read_bytes()))


def put(cluster: Cluster, kept: dict[str, Any]) -> None:
    """Give a new cluster everything that is kept of an old one; only the rows of its history are left out."""
    for column in ("seed", "instant_ms", "seq", "rv", "engine_version"):
        setattr(cluster, column, kept[column])
    cluster.anchor_instant_ms = kept["instant_ms"]
    cluster.inbox_head = cluster.inbox_order = len(kept["commands"])
    cluster.save()
    for order, command in enumerate(kept["commands"], 1):
        Command.objects.create(
            id=UUID(int=cluster.pk << 64 | order),
            cluster=cluster,
            order=order,
            state=Command.State.DONE,
            result={"code": 200},
            **command,
        )
    columns = set(frames.SUMMARY_COLUMNS) | {"data"}
    for stored in kept["objects"]:
        known = {name: value for name, value in stored.items() if name in columns}
        StoredObject.objects.create(cluster=cluster, **known)
    for one in kept["checkpoints"]:
        Checkpoint.objects.create(
            cluster=cluster,
            instant_ms=one["instant_ms"],
            seq=one["seq"],
            rv=one["rv"],
            engine_version=kept["engine_version"],
            data=checkpoints.pack(one["data"]),
        )
