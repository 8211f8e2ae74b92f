"""A rendering after another is an upgrade: hooks, changes, what is pruned, and what it costs."""

import pytest
import yaml

from lifecycle.input.reading import Batch, read_batches
from lifecycle.input.scenario import read_until
from lifecycle.lean_dataclasses import replace
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.run import run
from tests.simulate.running import Rows
from tests.simulate.test_installation import config, job

KEPT = config("kept")
KEPT["metadata"]["annotations"] = {"helm.sh/resource-policy": "keep"}


def deployment(image, **spec):
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": image}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "template": template, **spec},
    }


def upgrade(old, new, until="idle"):
    plans = []
    for objects, phase in ((old, "install"), (new, "upgrade")):
        reading = read_batches([Batch({"": yaml.safe_dump_all(objects)})], "shop", hooks=phase)
        overrides = Overrides(timing="instant", hooks=phase, untils=(read_until(until),))
        plans.append(make_plan(reading.require_sound(), overrides))
    rows = Rows()
    outcome, cluster = run(replace(plans[0], then=plans[1]), rows)
    return outcome, cluster, rows.rows


def names(cluster, kind="ConfigMap"):
    found = {one["metadata"]["name"] for one in cluster.list(kind, "shop")}
    return found - {"kube-root-ca.crt"}


@pytest.mark.parametrize(
    "old, new, left",
    [
        pytest.param([config("a"), config("b")], [config("b")], {"b"}, id="what is not there any more goes"),
        pytest.param([config("a"), KEPT], [config("a")], {"a", "kept"}, id="but for what is to be kept"),
        pytest.param([config("a")], [config("a"), config("b")], {"a", "b"}, id="what is new comes"),
        pytest.param(
            [config("a", hook="pre-install"), config("b")],
            [config("b")],
            {"a", "b"},
            id="hooks are not pruned",
        ),
    ],
)
def test_an_upgrade_leaves_what_helm_leaves(old, new, left):
    outcome, cluster, _ = upgrade(old, new)
    assert (names(cluster), outcome.exit_status) == (left, 0)


def test_the_namespace_of_the_release_is_never_pruned():
    _, cluster, _ = upgrade(
        [config("a")], [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}]
    )
    assert cluster.get("Namespace", None, "shop") is not None


def test_hooks_run_around_the_changes_and_pruning_comes_before_those_of_after():
    old = [config("gone"), deployment("nginx:1.27")]
    new = [
        deployment("nginx:1.28"),
        job("migrate", hook="pre-upgrade"),
        job("seed", hook="pre-install"),
        job("notify", hook="post-upgrade"),
    ]
    _, cluster, rows = upgrade(old, new)
    order = [
        (row["name"], row["new"])
        for row in rows
        if row.get("field") == "exists" and (row["kind"] == "Job" or row["name"] == "gone")
    ]
    assert order == [("gone", "created"), ("migrate", "created"), ("gone", "deleted"), ("notify", "created")]
    (web,) = cluster.list("Deployment", "shop")
    assert web["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1.28"


def test_it_begins_when_all_that_was_installed_is_well():
    outcome, _, rows = upgrade(
        [deployment("nginx:1.27", minReadySeconds=30)], [deployment("nginx:1.28")], "ready"
    )
    changed = next(row["at_ms"] for row in rows if row["kind"] == "ReplicaSet" and row["at_ms"] > 1000)
    assert changed >= 30_000 and outcome.exit_status == 0


def test_what_is_never_well_is_upgraded_after_ten_minutes():
    broken = deployment("nginx:1.27")
    broken["spec"]["template"]["spec"]["nodeSelector"] = {"disk": "none"}
    outcome, _, _ = upgrade([broken], [deployment("nginx:1.28")], "ready")
    assert outcome.upgrade[0] == "upgrade at 10m0s: 1 changed, 1 unchanged"
    assert outcome.exit_status == 0


def test_it_tells_what_changed_and_what_it_cost():
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 2}}
    old = [config("gone"), config("same"), deployment("nginx:1.27", strategy=strategy)]
    new = [config("same"), config("new"), deployment("nginx:1.28", strategy=strategy)]
    outcome, _, _ = upgrade(old, new)
    assert outcome.upgrade[0].endswith(": 1 made, 1 changed, 2 unchanged, 1 pruned")
    assert outcome.upgrade[1:6] == (
        "  made      ConfigMap shop/new",
        "  changed   Deployment shop/web",
        "  pruned    ConfigMap shop/gone",
        "  cost      3 pods made, 3 gone",
        "  least     Deployment shop/web 1 of 3 available",
    )
    assert outcome.upgrade[6].startswith("  well      after ")


def test_a_hook_that_fails_leaves_everything_as_it_was():
    outcome, cluster, _ = upgrade([config("a")], [job("migrate", "exit 1", hook="pre-upgrade"), config("b")])
    assert (names(cluster), outcome.exit_status) == ({"a"}, 1)
    assert outcome.refusals == (
        "pre-upgrade hook Job shop/migrate failed: Helm gives up, 1 object behind it left to be made",
    )


HELMS = """
both+ zz-pre+ aa-pre+ aa-pre- gone+ kept+ main+ both- both+ post+
both- both+ zz-pre- zz-pre+ aa-pre+ ab-pre+ ab-pre- aa-pre- gone- both- both+ post- post+
"""
"""What Helm 4.1.4 made (+) and deleted (-) of these hooks and objects, by an installation and an upgrade."""


@pytest.mark.slow
def test_objects_come_and_go_in_the_order_of_helm_itself():
    before, after = "pre-install,pre-upgrade", "post-install,post-upgrade"
    hooks = [
        job("zz-pre", hook=before, weight=-5),
        job("aa-pre", hook=before, weight=0, policy="hook-succeeded"),
        job("ab-pre", hook="pre-upgrade", weight=0, policy="before-hook-creation,hook-succeeded"),
        job("post", hook=after, weight=0),
        job("both", hook=f"{before},{after}", weight=-9),
    ]
    _, _, rows = upgrade([config("gone"), KEPT, config("main"), *hooks], [config("main"), *hooks])
    signs = {"created": "+", "deleted": "-"}
    order = [
        f"{row['name']}{signs[row['new']]}"
        for row in rows
        if row.get("field") == "exists" and row["kind"] in ("Job", "ConfigMap") and row["namespace"] == "shop"
    ]
    assert [one for one in order if not one.startswith("kube-root")] == HELMS.split()
