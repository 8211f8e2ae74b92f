"""Legend, lane header, workloads, home and API say the same numbers, however many pods there are."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from django.test import Client

from dashboard.live.feeds import TimelineFeed
from lifecycle.benches import workload
from lifecycle.engine import Command
from tests.engine.kinds.kept import keep

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.mark.parametrize(
    "pods", [320, *(pytest.param(many, marks=pytest.mark.deep) for many in (2000, 10_000))]
)
def test_all_counts_are_equal_in_mid_rollout(client: Client, pods: int) -> None:
    engine = workload.make_engine(pods, pods // 20)
    workload.create(engine, workload.make_deployment(pods, is_probed=True))
    engine.run_until(60_000)
    image = {"kind": "Deployment", "namespace": "default", "name": "web", "image": "nginx:1.28"}
    assert engine.submit(Command("image", "setImage", image)).ok
    engine.run_until(64_000)
    cluster = keep(engine)
    client.force_login(cluster.owner)

    feed = TimelineFeed(cluster, "", None)
    meta = feed.figure(64_000)["layout"]["meta"]
    counts = Counter(meta["counts"])
    assert counts["ready"] and len(counts) > 1 and counts.total() > pods * 0.9, "nothing is rolling"

    home, page = (client.get(path).content.decode() for path in ("/", f"/clusters/{cluster.name}/"))
    legend = {tone: int(count) for tone, count in re.findall(r'data-tone="(\w+)" data-count="(\d+)"', page)}
    assert +Counter(legend) == counts
    (meter,) = re.findall(r'<svg class="meter"[^>]*aria-label="([^"]+)"', page)
    said = {words: int(count) for count, words in re.findall(r"(\d+) ([a-z ]+?)(?= \d|$| )", meter)}
    assert sorted(said.values()) == sorted(counts.values())
    there = counts.total() - sum(counts[name] for name in ("succeeded", "failed", "terminating"))
    assert f"{counts['ready']} of {there} ready" in meta["rows"][0]["note"]
    for count in counts.values():
        assert f"<b>{count}</b>" in home

    rows = client.get(f"/api/clusters/{cluster.name}/objects?kind=Pod&view=summary&format=ndjson")
    lines = [json.loads(line) for line in b"".join(rows.streaming_content).splitlines()]
    living = Counter(row["state"] for row in lines if row.get("kind") == "Pod" and row["deleted_ms"] is None)
    assert living == counts
