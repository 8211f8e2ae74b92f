"""Which scenarios do not agree with their recording, and why; and how many must.

A scenario leaves this table as soon as it agrees. None enters it for a change of ours: what a recording shows
is true for v1.35.
"""

from __future__ import annotations

from tests.recordings.compare import Finding
from tests.recordings.scenario_files import RELEASES

NEEDS_LATER = "needs"
"""Something is wanted that Podline does not act on yet. These do not count."""
SETTING = "that cluster's setting"
CHANCE = "chance"
TO_BE_MENDED = "to be mended"

# Of 100 scenarios outside NEEDS_LATER so many must agree, by families. Raised with every repair.
INTERCHANGEABLE, NAMED = ("deploy-", "rs-", "rc-", "ds-"), ("sts-", "claim-", "job-", "cron-")
# What acts on whole clusters; histories of the scheduler and of lost nodes hold more chance than others.
FORCES = ("pdb-", "drain-", "nodeloss-", "kubelet-", "preempt", "sched-", "hpa-", "cordoned-")
LEAST_PERCENT_OF_OTHERS = 97
# One of theirs hangs on how two back-offs of one node were drawn.
LEAST_PERCENT_OF_INTERCHANGEABLE = 97
LEAST_PERCENT_OF_NAMED = 89
LEAST_PERCENT_OF_FORCES = 77
LEAST_PERCENT = 92

# Group -> reason -> scenarios.
DIFFERENCES: dict[str, dict[str, str]] = {
    NEEDS_LATER: {},
    SETTING: {},
    CHANCE: {
        "scenarios beside it moved the scheduler's queue: three tries at a pod that fits nowhere": """
            delete-pending-unschedulable claim-node-conflict
        """,
        "scenarios beside it moved the scheduler's queue while a victim was ending": """
            preempt-graceful preempt-nominated-room preemption-by-priority
        """,
        "on one of its three nodes another pod of priority 0 was left": "preempt-deployment",
        "its scheduler heard of two uncordoned nodes 20 ms late, when one of them had lost its taint": """
            sched-spread-do-not-schedule
        """,
        "two workers of its volume controller wrote at once, and the claim waited for its next pass": """
            claim-named-volume
        """,
        "its kubelet measured the volume soon after it was written to": "emptydir-limit-evicts",
        "another scenario cordoned its node 2.6 s before its end": "cordoned-nodes",
        "a check of readiness fell into the tenth of a second in which its pod ended: so for 2 pods of 9": """
            sts-unready-blocks-update
        """,
        "its API server took 20 to 50 ms to answer, and a budget's pods were there before it": "pdb-percent",
        "the same, and nodes cordoned and lost beside it moved the scheduler's queue five times": """
            drain-replacements-pending
        """,
        "a lease is found old 41 to 52 s after its node fell silent; ours, 46.5 s, fits as many as any": """
            nodeloss-two-of-three nodeloss-force-delete-then-return nodeloss-zone
        """,
        "its kubelet drew the shortest back-off there is": "job-onfailure-then-success",
        "its runtime read what a container wrote to both of its outputs at once in the other order": """
            termination-message-kinds
        """,
        "its kubelet drew back-offs for two pods that came two seconds apart": "rs-crash-loop-counted",
    },
    TO_BE_MENDED: {},
}


def is_artefact(release: str, finding: Finding) -> bool:
    """Whether a difference is one of the lab that recorded the other releases.

    Its scheduler was woken by scenarios beside, and told most of its failures three times. Its kubectl was of
    v1.36 for v1.34 too.
    """
    if finding.kind == "refusal" and release == "v1.34":
        return finding.podline.replace("cannot delete cannot delete", "cannot delete") == finding.real
    is_other = release != RELEASES[0]
    return is_other and finding.kind == "event-count" and finding.what.startswith("FailedScheduling ")


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
