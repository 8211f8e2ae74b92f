"""Which scenarios of the gallery show the worked ones of sets of pods.

SC-RS-*, SC-STS-* and SC-DS-* of the workload controllers, S34 to S38 of the ReplicationController (not those
of the same numbers of the pods' lives). Steps that are refused have no place in the gallery: they are tested
beside the API.
"""

import pytest

from lifecycle.simulation.stories import find_story, list_stories
from tests.simulate.running import plan_of

# The scenarios that show it, or the reason why none can.
WORKED: list[tuple[str, tuple[str, ...] | str]] = [
    ("SC-RS-01", ("sc-rs-01-create",)),
    ("SC-RS-02", ("sc-rs-02-bare-pods-after",)),
    ("SC-RS-03", ("sc-rs-03-bare-pods-before",)),
    ("SC-RS-04", ("sc-rs-04-foreground", "sc-rs-04-background", "foreground-deletion-waits")),
    ("SC-RS-05", ("sc-rs-05-orphans-and-heir",)),
    ("SC-RS-06", ("sc-rs-06-isolated-pod",)),
    ("SC-RS-07", ("sc-rs-07-five-of-eight", "sc-rs-07-six-of-eight")),
    ("SC-RS-08", ("sc-rs-08-deletion-cost",)),
    ("SC-RS-09", ("sc-rs-09-autoscaled", "sc-rs-09-without-requests")),
    ("SC-RS-10", ("sc-rs-10-pod-and-container", "sc-rs-10-node-removed", "sc-rs-10-single-pod")),
    ("SC-RS-11", ("sc-rs-11-defaults",)),
    ("SC-STS-01", ("stateful-set", "sc-sts-01-create", "sc-sts-01-no-wait")),
    ("SC-STS-02", ("stateful-set-unready-predecessor",)),
    ("SC-STS-03", ("stateful-set-scale-down", "sc-sts-03-term-ignored")),
    ("SC-STS-04", ("stateful-set-unready-scale-down",)),
    ("SC-STS-05", ("stateful-set-parallel",)),
    ("SC-STS-06", ("stateful-set-start-ordinal",)),
    (
        "SC-STS-07",
        (
            "sc-sts-07-denial-remembered",
            "sc-sts-07-denial-not-remembered",
            "sc-sts-07-namespace",
            "sc-sts-07-cluster-domain",
            "sc-sts-07-no-service",
        ),
    ),
    (
        "SC-STS-08",
        (
            "sc-sts-08-storage-follows",
            "sc-sts-08-marker",
            "sc-sts-08-missing-class",
            "sc-sts-08-default-class",
            "sc-sts-08-volume-by-hand",
        ),
    ),
    ("SC-STS-09", ("stateful-set-rolling-update", "sc-sts-09-reverse-order")),
    ("SC-STS-10", ("stateful-set-partition", "sc-sts-10-partition-above")),
    ("SC-STS-11", ("stateful-set-on-delete",)),
    (
        "SC-STS-12",
        ("stateful-set-max-unavailable", "sc-sts-12-one-unready", "sc-sts-12-share", "sc-sts-12-gate-off"),
    ),
    ("SC-STS-13", ("stateful-set-broken-update",)),
    (
        "SC-STS-14",
        (
            "stateful-set-claims-retain-retain",
            "stateful-set-claims-retain-delete",
            "stateful-set-claims-delete-retain",
            "stateful-set-claims-delete-delete",
        ),
    ),
    # Without (c) and (d): the controller cannot be stopped.
    ("SC-STS-15", ("sc-sts-15-node-removed", "sc-sts-15-pod-deleted")),
    ("SC-STS-16", ("stateful-set-ends-in-order",)),
    ("SC-STS-17", ("sc-sts-17-service-for-one-pod",)),
    ("SC-STS-18", ("sc-sts-18-applied-again", "sc-sts-18-left-to-scale")),
    ("SC-DS-01", ("sc-ds-01-one-pod-a-node", "sc-ds-01-control-plane-left-out")),
    ("SC-DS-02", ("sc-ds-02-nodes-join", "sc-ds-02-nodes-leave")),
    ("SC-DS-03", ("sc-ds-03-node-labels", "sc-ds-03-node-affinity", "sc-ds-03-two-sets")),
    ("SC-DS-04", ("sc-ds-04-another-scheduler",)),
    # Without nodes that are not ready or cannot be reached: v1.35 taints them NoSchedule as well, which the
    # pods of a DaemonSet do not tolerate (recorded: nodeloss-daemonset).
    (
        "SC-DS-05",
        (
            "sc-ds-05-cordoned-node",
            "sc-ds-05-no-network",
            "sc-ds-05-disk-pressure",
            "sc-ds-05-memory-pressure",
            "sc-ds-05-pid-pressure",
        ),
    ),
    ("SC-DS-06", ("sc-ds-06-taints", "sc-ds-06-taint-tolerated")),
    ("SC-DS-07", ("sc-ds-07-preemption", "sc-ds-07-without-priority")),
    ("SC-DS-08", ("sc-ds-08-taken-over", "sc-ds-08-replaced", "sc-ds-08-taken-over-on-delete")),
    (
        "SC-DS-09",
        ("sc-ds-09-rolling-update", "sc-ds-09-half-at-a-time", "sc-ds-09-surge", "sc-ds-09-undone"),
    ),
    ("SC-DS-10", ("sc-ds-10-host-ports", "sc-ds-10-headless-service")),
    ("SC-DS-11", ("sc-ds-11-defaults",)),
    ("SC-DS-12", ("sc-ds-12-network-plugin",)),
    ("SC-DS-13", ("sc-ds-13-evicted-pod", "sc-ds-13-bare-pod", "static-control-plane")),
    ("S34", ("replication-controller", "replication-controller-repairs")),
    ("S35", ("replication-controller-heir",)),
    ("S36", ("replication-controller-isolated-pod",)),
    ("S37", ("replication-controller-rolling-update",)),
    ("S38", ("replication-controller-release-tracks",)),
]
SERIES = {"SC-RS": 11, "SC-STS": 18, "SC-DS": 13}
NAMES = sorted({name for _, shown in WORKED if isinstance(shown, tuple) for name in shown})


def test_each_worked_scenario_stands_there_once():
    ids = [f"{family}-{number:02}" for family, last in SERIES.items() for number in range(1, last + 1)]
    assert [one for one, _ in WORKED] == [*ids, *(f"S{number}" for number in range(34, 39))]
    assert all(shown for _, shown in WORKED)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_scenarios_that_show_them_claim_something(name: str):
    plan = plan_of(find_story(name))
    assert plan.expects or plan.sequences


def test_no_scenario_named_after_one_is_left_out():
    written = {name for name in list_stories() if name.startswith(("sc-rs-", "sc-sts-", "sc-ds-"))}
    assert written <= set(NAMES)
