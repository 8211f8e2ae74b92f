"""Whatever happens to a Job and its pods: none is counted twice or lost, and the Job has one end at most."""

import random
from typing import Any

import pytest

from lifecycle.engine.objects.pods.pod import FAILED, SUCCEEDED
from tests.engine.controllers.shift import TERMINAL, Shift, make_job

pytestmark = pytest.mark.slow

COMMANDS = [
    "sleep 5",
    "sleep 3; exit 1",
    "sleep $(( $(hostname | wc -c) % 4 + 1 )); exit $(( $RANDOM % 3 ))",
    "case $(hostname) in *[b-k]) sleep 4; exit 1;; *) sleep 7;; esac",
    "trap '' TERM; sleep 20",
    "trap 'exit 0' TERM; sleep 30 & wait",
]


def make_random(chance: random.Random) -> dict[str, Any]:
    spec: dict[str, Any] = {"parallelism": chance.randint(1, 5), "backoffLimit": chance.randint(0, 8)}
    policy = chance.choice(["Never", "Never", "OnFailure"])
    if chance.random() < 0.75:
        spec["completions"] = chance.randint(1, 8)
        if chance.random() < 0.5:
            spec["completionMode"] = "Indexed"
            if policy == "Never" and chance.random() < 0.5:
                spec["backoffLimitPerIndex"] = chance.randint(0, 2)
                del spec["backoffLimit"]
    if chance.random() < 0.3:
        spec["podReplacementPolicy"] = "Failed"
    if chance.random() < 0.2:
        spec["activeDeadlineSeconds"] = chance.randint(10, 90)
    pod = {"terminationGracePeriodSeconds": chance.choice([0, 2, 10])}
    return make_job(command=chance.choice(COMMANDS), policy=policy, pod=pod, **spec)


class Story:
    """One Job, and what is done to it."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.shift = Shift(chance.choice(["instant", "realistic"]), seed)
        manifest = make_random(chance)
        self.most_parallel = manifest["spec"]["parallelism"]
        self.shift.apply(manifest)

    def live(self) -> None:
        deeds = [self._delete_pod, self._delete_pod, self._scale, self._suspend, self._reload]
        for _ in range(self.chance.randint(0, 8)):
            self._run(self.chance.randint(0, 25_000))
            if self.shift.job().is_finished:
                break
            self.chance.choice(deeds)()
        self.shift.patch(suspend=False, parallelism=max(self.shift.job().spec.parallelism, 1))
        self._run(3 * 3_600_000)

    def _run(self, ms: int) -> None:
        until_ms = self.shift.cluster.now_ms + ms
        while self.shift.cluster.run_until(until_ms, stop=lambda _: True) < until_ms:
            self.shift.look()
        self.shift.look()

    def _delete_pod(self) -> None:
        pods = self.shift.pods()
        if pods:
            name = self.chance.choice(pods)["metadata"]["name"]
            grace = self.chance.choice([{}, {"gracePeriodSeconds": 0}])
            self.shift.submit("delete", kind="Pod", namespace="default", name=name, **grace)

    def _scale(self) -> None:
        if not self.shift.job().spec.is_indexed:
            parallelism = self.chance.randint(0, 6)
            self.most_parallel = max(self.most_parallel, parallelism)
            self.shift.patch(parallelism=parallelism)

    def _suspend(self) -> None:
        self.shift.patch(suspend=not self.shift.job().spec.suspend)

    def _reload(self) -> None:
        self.shift.save_and_load()

    # --- what must hold -------------------------------------------------------------------------------

    def check(self) -> None:
        shift, job = self.shift, self.shift.job()
        assert shift.cluster.is_idle()
        ends = [one for one in shift.conditions() if one[0] in TERMINAL and one[1] == "True"]
        assert len(ends) == 1, shift.conditions()
        interim = "SuccessCriteriaMet" if job.has_succeeded else "FailureTarget"
        assert interim in {type_ for type_, _status, _reason in shift.conditions()}
        self._check_counts()
        assert shift.most_active <= self.most_parallel
        if job.spec.replacement_policy == "Failed":
            assert shift.most_alive <= self.most_parallel + shift.told().count("SuccessfulDelete")
        for pod in shift.pods():
            assert "finalizers" not in pod["metadata"], pod["metadata"]["name"]

    def _check_counts(self) -> None:
        """Each pod counts by how it was when its finalizer was still there."""
        job, last = self.shift.job(), self.shift.last_tracked
        assert set(last) == self.shift.released
        status = job.status
        assert status.uncounted is not None and status.uncounted.to_json() == {}
        succeeded = [pod for pod in last.values() if pod.status.phase == SUCCEEDED]
        # A pod that still stops when its Job has succeeded was no failure if failures wait for the end.
        counts_going = not (job.has_succeeded and job.spec.replacement_policy == "Failed")
        going = [pod for pod in last.values() if pod.meta.deletion_ms is not None and not pod.is_finished]
        failed = [pod for pod in last.values() if pod.status.phase == FAILED] + going * counts_going
        if job.spec.is_indexed:
            index = "batch.kubernetes.io/job-completion-index"
            assert status.succeeded == len({pod.meta.annotations[index] for pod in succeeded})
        else:
            assert status.succeeded == len(succeeded)
        assert status.failed == len(failed)
        assert (status.active, status.terminating) == (0, 0)


def tell(seed: int) -> None:
    story = Story(seed)
    story.live()
    story.check()


@pytest.mark.spec("JOB-FIN-02", "JOB-FIN-03", "JOB-FIN-04", "JOB-TERM-01", "JOB-PAR-11", "JOB-REPL-02")
@pytest.mark.parametrize("seed", range(12))
def test_every_pod_of_a_job_counts_once(seed: int):
    tell(seed)


@pytest.mark.deep
@pytest.mark.parametrize("start", range(0, 3000, 100))
def test_every_pod_of_many_jobs_counts_once(start: int):
    for seed in range(start, start + 100):
        tell(seed)
