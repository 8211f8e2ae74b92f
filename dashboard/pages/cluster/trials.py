"""The other way round: a cluster's story once more, with the images behaving as it does not assume.

All else is the same: seed, names, commands and their instants. So whatever differs is due to the assumption.
"""

from __future__ import annotations

from lifecycle.engine.programs.images.doubts import find_meant
from lifecycle.input.manifests import read_documents
from lifecycle.lean_dataclasses import replace
from lifecycle.models import Cluster, RunControl
from lifecycle.recorded.images import list_doubted
from lifecycle.runs import inbox
from lifecycle.runs.forks import find_free_name
from lifecycle.runs.inbox import User
from lifecycle.runs.plans import begin
from lifecycle.runs.retelling import retell
from lifecycle.simulation import make_plan
from lifecycle.simulation.unknown_images import FAIL, MEANT, try_images

WAYS = {"cannot-be-pulled": FAIL, "meant": MEANT}
"""What a page calls them, and `simulate`."""


def try_otherwise(cluster: Cluster, way: str, user: User) -> Cluster:
    """A new cluster of the user, which lives through the same with the images that nobody knows otherwise.

    They cannot be pulled, or are the well-known ones that may be meant. ValueError where there are none such,
    ManifestError and ValidationError where the story cannot be played again.
    """
    if way not in WAYS:
        raise ValueError(f"There is {' and '.join(WAYS)}, and no {way!r}")
    doubted = list_doubted(cluster)
    if not (any(map(find_meant, doubted)) if WAYS[way] == MEANT else doubted):
        raise ValueError("No image is doubted any more: look again")
    plan = make_plan(read_documents(retell(cluster)))
    trial = try_images(plan.objects, plan.steps, WAYS[way], doubted)
    plan = replace(plan, objects=(*trial.profiles, *trial.objects), steps=tuple(trial.steps))
    name = f"{cluster.shown_name[:40].rstrip('-')}-if-{'meant' if WAYS[way] == MEANT else 'not'}"
    made = begin(plan, find_free_name(name, user), user)
    if cluster.instant_ms:
        # At once to where the other one is; what comes then is for both to show.
        inbox.control(made, RunControl.Kind.RUN, {"untilMs": cluster.instant_ms, "fast": True}, user=user)
    return made
