"""Which scenarios do not agree with their recording, and why; and how many must.

A scenario leaves this table as soon as it agrees. None enters it for a change of ours: what a recording shows
is true for v1.35.
"""

from __future__ import annotations

NEEDS_LATER = "needs"
"""Something is wanted that Podline does not act on yet. These do not count."""
SETTING = "that cluster's setting"
CHANCE = "chance"
TO_BE_MENDED = "to be mended"

# Of 100 scenarios outside NEEDS_LATER, and of 100 about what makes interchangeable pods, so many must agree.
# Raised with every repair; meant are 92 and 97.
LEAST_PERCENT = 97
LEAST_PERCENT_OF_WORKLOADS = 100
WORKLOADS = ("deploy-", "rs-", "rc-", "ds-")

# Group -> reason -> scenarios.
DIFFERENCES: dict[str, dict[str, str]] = {
    NEEDS_LATER: {
        "preemption": "preemption-by-priority",
        "drains": "drain-daemonset",
        "lost nodes": "nodeloss-daemonset",
        "eviction by taints": "ds-taint-after",
        "pod affinity": "sched-anti-affinity-pending",
        "topology spread": "sched-spread-do-not-schedule",
    },
    SETTING: {
        "its hollow nodes tell that a pod runs a second after it is Ready, and each pod waits for that": """
            claim-statefulset-local
        """,
    },
    CHANCE: {
        "scenarios beside it moved the scheduler's queue: three tries at a pod that fits nowhere": """
            delete-pending-unschedulable
        """,
        "its kubelet had begun to look for pods to evict at another of ten seconds": "emptydir-limit-evicts",
        "another scenario cordoned its node 2.6 s before its end": "cordoned-nodes",
        "a readiness probe was running when its pod was deleted": "sts-unready-blocks-update",
    },
    TO_BE_MENDED: {
        "a pod whose image never came takes 0.4 s to end: so long its endpoint is terminating": """
            sts-broken-update-trap
        """,
    },
}


def list_differing(group: str) -> set[str]:
    """The scenarios of one group."""
    return {name for names in DIFFERENCES[group].values() for name in names.split()}


def find_reason(name: str) -> str | None:
    """Why a scenario does not agree; None when it is not in the table."""
    for group, reasons in DIFFERENCES.items():
        for reason, names in reasons.items():
            if name in names.split():
                return f"{group}: {reason}"
    return None
