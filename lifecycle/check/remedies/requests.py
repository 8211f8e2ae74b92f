"""What keeps requests: the smallest change of those that help together, found with the worst chance."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle.check.remedies.candidates import Candidate, Case, make_patch
from lifecycle.check.remedies.failures import Failure
from lifecycle.check.remedies.retrials import Retrials, is_worse
from lifecycle.simulation.request_cures import LONGEST_WAIT_SECONDS, Cure, Trial, find_cure, list_cures

FAMILY = "requests"


def find_for_requests(failure: Failure, case: Case, retrials: Retrials) -> Iterator[Candidate]:
    """The smallest, and the same with longer waits, for those chances in which it is not enough."""
    services = [one for one in case.world.settled.services if _place(one) in case.workload.services]
    if not services or "template" not in case.spec:
        return
    seed = failure.seeds[0]
    ordeal = failure.finding.worst.trial.ordeal
    before = retrials.list_before(ordeal.name, seed)

    def run(cure: Cure) -> Trial | None:
        patch = _make(case, cure).patch
        trials = failure.list_trials(retrials.list_trials(patch, ordeal), seed)
        futures = [retrials.live(patch, one, seed) for one in trials]
        if not futures or is_worse(futures, before):
            return None
        lost = sum(one.amount for future in futures for one in failure.list_same(future, before))
        return Trial(cure, {"lostMs": lost}, 0)

    worst = sum(one.amount for future in before for one in failure.list_same(future, ()))
    best = find_cure(run, Trial(Cure(), {"lostMs": worst}, 0), list_cures(services[0], case.data))
    if best is None:
        return
    cure = best.cure
    yield _make(case, cure)
    while 0 < cure.wait_seconds < LONGEST_WAIT_SECONDS:
        cure = cure._replace(wait_seconds=min(2 * cure.wait_seconds, LONGEST_WAIT_SECONDS))
        yield _make(case, cure)


def _make(case: Case, cure: Cure) -> Candidate:
    return Candidate(cure.tell(), make_patch(case.data, {"spec": cure.make_patch(case.data)}), FAMILY)


def _place(service: object) -> tuple[str, str]:
    meta = service["metadata"]  # type: ignore[index]
    return meta["namespace"], meta["name"]
