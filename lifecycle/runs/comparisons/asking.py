"""A comparison of releases is asked for, and cancelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from lifecycle.engine.releases.known import VERSIONS, list_releases
from lifecycle.input.problems import ManifestError
from lifecycle.input.reading import Batch
from lifecycle.limits import Exceeded
from lifecycle.models import Cluster, Comparison
from lifecycle.models.checks import GOING_ON
from lifecycle.runs import messages
from lifecycle.runs.retelling import retell
from lifecycle.simulation.releases.comparing import read_releases

LEAST_RELEASES, MOST_RELEASES = 2, 3
MOST_KEPT = 10
"""So many comparisons of a user are kept; the oldest go."""
AGAIN_SECONDS = 10
OF_CLUSTER = "cluster.yaml"


def ask_of_cluster(cluster: Cluster, user: Any, releases: Sequence[str]) -> Comparison:
    """Ask what of a cluster's story comes out otherwise: its manifests, and what was done, at its instant.

    ValidationError with what would be right; limits.Exceeded while another comparison of the user's goes on.
    """
    return _ask(user, releases, [[OF_CLUSTER, retell(cluster)]], cluster)


def ask_of_manifests(batches: Sequence[Batch], user: Any, releases: Sequence[str]) -> Comparison:
    """The same of manifests. ManifestError for a file that cannot be read."""
    problems = [problem for batch in batches for problem in batch.unreadable]
    if problems:
        raise ManifestError(problems)
    files = [[name, _read(content)] for batch in batches for name, content in batch.files.items()]
    if not any(text.strip() for _, text in files):
        raise ValidationError("nothing was given: give manifests, or compare a cluster on its own page")
    return _ask(user, releases, files, None)


def _read(content: str | bytes) -> str:
    # What is no UTF-8 is no manifest, and is told as what it is read as.
    return content if isinstance(content, str) else content.decode("utf-8-sig", errors="replace")


def _ask(user: Any, releases: Sequence[str], files: list[list[str]], cluster: Cluster | None) -> Comparison:
    names = check_releases(releases)
    try:
        with transaction.atomic():
            made = Comparison.objects.create(user=user, cluster=cluster, releases=names, files=files)
    except IntegrityError:
        raise Exceeded(
            "your comparison of releases goes on, and one at a time is the most for one user: wait for its"
            " end, or cancel it",
            429,
            AGAIN_SECONDS,
        ) from None
    old = Comparison.objects.filter(user=user).exclude(state__in=GOING_ON).values_list("pk", flat=True)
    Comparison.objects.filter(pk__in=list(old[MOST_KEPT - 1 :])).delete()
    transaction.on_commit(lambda: messages.carrier().ask_for_comparison(str(made.pk)))
    return made


def check_releases(names: Sequence[str]) -> list[str]:
    """Two or three of those that are modelled, the older first. ValidationError for anything else."""
    if unknown := [one for one in names if one not in VERSIONS]:
        told = f"{unknown[0]!r:.42} is no release that is modelled; there are {list_releases()}"
        raise ValidationError({"releases": [told]})
    found = [one.name for one in read_releases(",".join(names))] if names else []
    if not LEAST_RELEASES <= len(found) <= MOST_RELEASES:
        raise ValidationError({"releases": [f"{len(found)} releases were chosen: choose two or three"]})
    return found


def cancel(comparison: Comparison) -> bool:
    """Stop it: its worker stops soon. False when it had ended before."""
    ended = {"state": Comparison.State.CANCELLED, "ended_at": timezone.now()}
    going_on = Comparison.objects.filter(pk=comparison.pk, state__in=GOING_ON)
    is_done = going_on.update(**ended) > 0
    comparison.refresh_from_db()
    return is_done
