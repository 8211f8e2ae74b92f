"""Two fields of a Deployment set otherwise: what a rollout comes to for each pair, and its fork."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from lifecycle.models import Cluster
from lifecycle.runs import forks, inbox
from lifecycle.runs.comparisons.sweeps import FIELDS, Pair, make_spec, open_pair, try_pair
from lifecycle.runs.runner import Owner
from tests.runs.conftest import Wall, deployment

NAME = ("default", "web")
WORKLOAD = {"spec": {"template": {"spec": {"containers": [{"name": "app"}, {"name": "log"}]}}}}


def never() -> bool:
    return False


@pytest.mark.parametrize(
    "field, text, expected",
    [
        ("maxSurge", "1, 25%,50%", [1, "25%", "50%"]),
        ("maxSurge", "0,0, 100%", [0, "100%"]),
        ("replicas", "10000", [10_000]),
        ("grace", "1,2,3,4", [1, 2, 3, 4]),
    ],
)
def test_values_are_numbers_with_commas_between(field: str, text: str, expected: list[Any]) -> None:
    assert FIELDS[field].read(text) == expected


@pytest.mark.parametrize(
    "field, text, words",
    [
        ("maxSurge", "101%", "'101%' is no whole number, or a share"),
        ("maxSurge", "a", "'a' is no whole number"),
        ("replicas", "25%", "'25%' is no whole number"),
        ("replicas", "-1", "'-1' is no whole number"),
        ("replicas", "10001", "is no whole number"),
        ("replicas", "٣", "is no whole number"),
        ("replicas", "1.5", "is no whole number"),
        ("replicas", " , ", "give 1 to 4 values"),
        ("replicas", "1,2,3,4,5", "give 1 to 4 values"),
    ],
)
def test_anything_else_is_refused_in_words(field: str, text: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words.replace("(", "\\(")):
        FIELDS[field].read(text)


@pytest.mark.parametrize(
    "pair, expected",
    [
        pytest.param(
            (("maxSurge", 1), ("maxUnavailable", 0)),
            {"strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}},
            id="of one struct",
        ),
        pytest.param(
            (("preStop", 5), ("grace", 40)),
            {
                "template": {
                    "spec": {
                        "containers": [{"name": "app", "lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}],
                        "terminationGracePeriodSeconds": 40,
                    }
                }
            },
            id="of the first container and its pod",
        ),
        pytest.param(
            (("preStop", 0), ("replicas", 2)),
            {
                "template": {"spec": {"containers": [{"name": "app", "lifecycle": {"preStop": None}}]}},
                "replicas": 2,
            },
            id="a sleep of nothing is no hook",
        ),
    ],
)
def test_a_pair_is_one_patch(pair: Pair, expected: dict[str, Any]) -> None:
    assert make_spec(pair, WORKLOAD) == expected


@pytest.fixture
def cluster(owner: Owner, wall: Wall, make_cluster: Callable[..., Cluster]) -> Cluster:
    """Four pods behind a Service, ready, and the clock stands."""
    made = make_cluster("shop", settings={"nodes": {"count": 2}})
    service: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    for data in (deployment(replicas=4), service):
        inbox.append(made, "apply", {"object": data})
    inbox.control(made, "run", {"untilMs": 60_000})
    while owner.turn(made.pk) is not None:
        pass
    made.refresh_from_db()
    return made


@pytest.mark.slow
@pytest.mark.django_db
def test_a_rollout_keeps_what_its_fields_say(cluster: Cluster) -> None:
    saved = forks.restore_at(cluster, None).engine.save()

    def live(**values: Any) -> Any:
        first, second = values.items()
        return try_pair(saved, NAME, (first, second), ["web"], never)

    careful, quick = live(maxSurge=1, maxUnavailable=0), live(maxSurge=0, maxUnavailable="50%")
    # Documentation of rolling updates: of 4 pods, 50 % unavailable leave 2.
    assert (careful.fewest, quick.fewest) == (4, 2)
    assert careful.took_ms > quick.took_ms > 0
    assert None not in (careful.lost_ms, quick.lost_ms)
    # A pod that waits before it ends is out of the endpoints by then, whichever was its template before.
    assert live(maxSurge=1, preStop=10).lost_ms < live(maxSurge=1, preStop=0).lost_ms
    refused = live(maxSurge=0, maxUnavailable=0)
    assert "may not be 0 when `maxSurge` is 0" in refused.problem
    assert (
        try_pair(saved, ("default", "gone"), (("replicas", 1), ("grace", 1)), [], never).problem
        == "it is gone"
    )
    assert try_pair(saved, NAME, (("replicas", 1), ("grace", 1)), [], lambda: True).problem == "time is up"


@pytest.mark.slow
@pytest.mark.django_db
def test_the_fork_goes_as_the_trial_did(cluster: Cluster, owner: Owner) -> None:
    pair: Pair = (("maxSurge", 0), ("maxUnavailable", "50%"))
    saved = forks.restore_at(cluster, None).engine.save()
    told = try_pair(saved, NAME, pair, ["web"], never)
    child = open_pair(cluster, cluster.owner, NAME, pair, never)
    assert child.parent_id == cluster.pk
    assert list(child.commands.filter(state="pending").values_list("kind", "pinned_ms")) == [
        ("patch", 60_000),
        ("rollout", told.began_ms),
    ]
    with pytest.raises(ValueError, match="may not be 0"):
        open_pair(cluster, cluster.owner, NAME, (("maxSurge", 0), ("maxUnavailable", 0)), never)
    assert Cluster.objects.count() == 2
