"""The Job controller in a whole cluster: pods until enough of them have succeeded."""

from typing import Any

import pytest

from tests.engine.controllers.shift import Shift, make_job

UID, NAME = "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"
TRACKING = "batch.kubernetes.io/job-tracking"


def seconds(shift: Shift) -> list[float]:
    return [at_ms / 1000 for at_ms in shift.created()]


@pytest.mark.spec(
    "JOB-EX-01", "JOB-EX-10", "JOB-EX-13", "JOB-EX-14", "JOB-EX-15", "JOB-PAR-01", "JOB-PAR-02",
    "JOB-TERM-07", "JOB-TERM-12", "JOB-TERM-14", "JOB-PAR-10", "OVER-01", "OVER-08", "JOB-API-01",
)  # fmt: skip
def test_one_pod_runs_once_and_stays_to_be_looked_at():
    shift = Shift()
    shift.apply(make_job())
    shift.run(1)
    assert shift.status() == {
        "active": 1, "ready": 1, "terminating": 0, "startTime": "2026-01-01T00:00:00Z",
        "uncountedTerminatedPods": {},
    }  # fmt: skip
    shift.run(60)
    assert seconds(shift) == [0]
    assert shift.conditions() == [
        ("SuccessCriteriaMet", "True", "CompletionsReached"),
        ("Complete", "True", "CompletionsReached"),
    ]
    status = shift.status()
    assert status["conditions"][1] == {
        "type": "Complete", "status": "True", "reason": "CompletionsReached",
        "message": "Reached expected number of succeeded pods",
        "lastProbeTime": "2026-01-01T00:00:05Z", "lastTransitionTime": "2026-01-01T00:00:05Z",
    }  # fmt: skip
    assert (status["succeeded"], status["completionTime"]) == (1, "2026-01-01T00:00:05Z")
    assert (status["ready"], status["terminating"], "active" in status) == (0, 0, False)
    [pod] = shift.pods()
    assert pod["status"]["phase"] == "Succeeded"
    assert "finalizers" not in pod["metadata"]
    assert shift.told() == ["SuccessfulCreate", "Completed"]


@pytest.mark.spec(
    "JOB-EX-11", "JOB-EX-12", "JOB-LABEL-01", "JOB-LABEL-02", "JOB-LABEL-03", "JOB-LABEL-04", "JOB-SEL-01",
    "JOB-SEL-02", "JOB-SPEC-02", "JOB-SPEC-04", "JOB-SPEC-05", "JOB-SPEC-06", "JOB-FIN-01",
)  # fmt: skip
def test_a_job_knows_its_pods_by_its_uid():
    shift = Shift()
    shift.apply(make_job())
    shift.run(1)
    job, [pod] = shift.get("Job", "work"), shift.pods()
    uid = job["metadata"]["uid"]
    labels = {UID: uid, NAME: "work", "controller-uid": uid, "job-name": "work"}
    assert job["spec"]["selector"] == {"matchLabels": {UID: uid}}
    assert job["spec"]["template"]["metadata"]["labels"] == labels
    assert job["metadata"]["labels"] == labels
    assert job["metadata"]["generation"] == 1
    spec = {name: value for name, value in job["spec"].items() if name not in ("selector", "template")}
    assert spec == {
        "parallelism": 1, "completions": 1, "backoffLimit": 6, "completionMode": "NonIndexed",
        "suspend": False, "manualSelector": False, "podReplacementPolicy": "TerminatingOrFailed",
    }  # fmt: skip
    assert pod["metadata"]["labels"] == labels
    assert pod["metadata"]["finalizers"] == [TRACKING]
    assert pod["metadata"]["generateName"] == "work-"
    [owner] = pod["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"], owner["controller"]) == ("Job", uid, True)
    again = Shift()
    again.apply(make_job())
    again.change("delete", "work", "Job", propagationPolicy="Background")
    again.run(1)
    again.apply(make_job())
    assert again.get("Job", "work")["spec"]["selector"] != job["spec"]["selector"]


@pytest.mark.spec("JOB-EX-20", "JOB-SPEC-03")
def test_what_an_older_job_says_is_kept_and_a_long_name_is_cut_for_its_pods():
    shift = Shift()
    name = "n" * 63
    job = make_job(name)
    job["metadata"]["annotations"] = {TRACKING: ""}
    shift.apply(job)
    shift.run(1)
    assert shift.get("Job", name)["metadata"]["annotations"][TRACKING] == ""
    assert [len(pod["metadata"]["name"]) for pod in shift.pods()] == [63]


@pytest.mark.spec("JOB-PAR-03", "JOB-PAR-11", "JOB-PAR-20", "JOB-PAR-18", "JOB-IDX-02")
def test_never_more_pods_than_completions_that_are_left():
    shift = Shift()
    shift.apply(make_job(completions=5, parallelism=4))
    shift.run(60)
    assert seconds(shift) == [0, 0, 0, 0, 5]
    assert shift.lane("Job", "succeeded") == [(5000, 4), (10000, 5)]


@pytest.mark.spec("JOB-PAR-04", "JOB-PAR-05", "JOB-PAR-06", "JOB-PAR-07", "JOB-PAR-08", "JOB-PAR-09")
def test_a_work_queue_replaces_failures_until_one_pod_has_succeeded():
    shift = Shift(seed=3)
    # The first pod fails at once and is replaced; its replacement is the first to succeed.
    shift.apply(make_job(command="sleep 60", parallelism=2))
    shift.run(1)
    first, _second = (pod["metadata"]["name"] for pod in shift.pods())
    shift.change("delete", first, "Pod", gracePeriodSeconds=0)
    shift.run(20)
    # No status with fewer active pods than ready ones is taken: the failure waits uncounted. Its container
    # is known to have ended at 3 s by then.
    assert seconds(shift) == [0, 0, 13]
    shift.run(45)
    assert shift.status()["succeeded"] == 1
    last = next(pod for pod in shift.pods() if pod["status"]["phase"] == "Running")
    shift.change("delete", last["metadata"]["name"], "Pod", gracePeriodSeconds=0)
    shift.run(600)
    assert len(seconds(shift)) == 3
    assert shift.conditions()[1][0] == "Complete"
    assert "completions" not in shift.get("Job", "work")["spec"]


@pytest.mark.spec("JOB-PAR-13", "JOB-PAR-12", "JOB-PAR-17")
def test_pods_that_cannot_be_made_are_tried_again_with_growing_delays():
    shift = Shift()
    quota = {"kind": "ResourceQuota", "apiVersion": "v1", "metadata": {"name": "few"}}
    shift.apply({**quota, "spec": {"hard": {"pods": "2"}}})
    shift.apply(make_job(command="sleep 100", completions=7, parallelism=7))
    shift.run(1)
    assert shift.status()["active"] == 2
    # One, then two, one of which is refused; nothing further is tried.
    assert shift.told()[:3] == ["SuccessfulCreate", "SuccessfulCreate", "FailedCreate"]
    shift.run(80)
    tries = [row["at_ms"] for row in shift.rows if row["type"] == "event" and row["reason"] == "FailedCreate"]
    # At once for the pods that were made, that run, and that it tells as ready: each try fails, and doubles
    # what is waited for after the first one's second.
    assert tries == [0, 0, 0, 0, 1_000, 17_000, 49_000]
    shift.run(400)
    assert shift.conditions()[1][0] == "Complete"


@pytest.mark.slow
@pytest.mark.spec("JOB-PAR-17")
def test_a_look_makes_or_deletes_five_hundred_pods_at_most():
    shift = Shift({"preset": "instant", "job_sync": "1s"})
    shift.apply(make_job(command="sleep 100", completions=700, parallelism=700))
    shift.run(10)
    counts = [seconds(shift).count(at) for at in (0, 1, 2)]
    assert counts == [500, 200, 0]
    shift.patch(parallelism=0)
    shift.run(10)
    deleted = [
        row["at_ms"] for row in shift.rows if row.get("field") == "deletion" and row["new"] == "requested"
    ]
    assert [deleted.count(at_ms) for at_ms in sorted(set(deleted))] == [500, 200]


@pytest.mark.spec("JOB-PAR-16", "JOB-PAR-15")
def test_surplus_pods_count_as_nothing_and_the_youngest_go_first():
    shift = Shift()
    shift.apply(make_job(command="sleep 100", completions=9, parallelism=2))
    shift.run(10)
    old = {pod["metadata"]["name"] for pod in shift.pods()}
    shift.patch(parallelism=5)
    shift.run(10)
    shift.patch(parallelism=2)
    shift.run(1)
    assert shift.status()["terminating"] == 3
    shift.run(40)
    assert {pod["metadata"]["name"] for pod in shift.pods()} == old
    assert shift.told().count("SuccessfulDelete") == 3
    assert ("failed" in shift.status(), "succeeded" in shift.status()) == (False, False)


@pytest.mark.spec("JOB-API-06", "JOB-PAR-12")
def test_changes_of_pods_are_gathered_for_a_second_and_changes_of_the_job_are_not():
    shift = Shift({"preset": "instant", "job_sync": "1s"})
    shift.apply(make_job(command="sleep 5", completions=3, parallelism=1))
    shift.run(30)
    assert seconds(shift) == [0, 6, 12]
    other = Shift({"preset": "instant", "job_sync": "1s"})
    other.apply(make_job(command="sleep 60", completions=3, parallelism=1))
    other.run(10)
    other.patch(parallelism=2)
    other.run(1)
    assert seconds(other) == [0, 10]


# --- failures and tries -------------------------------------------------------------------------------------


@pytest.mark.spec(
    "JOB-FAIL-02", "JOB-FAIL-05", "JOB-BACKOFF-01", "JOB-BACKOFF-02", "JOB-BACKOFF-03", "JOB-BACKOFF-04"
)
@pytest.mark.spec(
    "JOB-BACKOFF-07", "JOB-BACKOFF-09", "JOB-BACKOFF-10", "JOB-PAR-14", "JOB-TERM-02", "JOB-TERM-13"
)
def test_failed_pods_are_replaced_after_delays_that_double():
    shift = Shift()
    shift.apply(make_job(command="sleep 5; exit 1", backoffLimit=3))
    shift.run(600)
    assert seconds(shift) == [0, 15, 40, 85]
    assert [pod["status"]["phase"] for pod in shift.pods()] == ["Failed"] * 4
    assert shift.conditions() == [
        ("FailureTarget", "True", "BackoffLimitExceeded"),
        ("Failed", "True", "BackoffLimitExceeded"),
    ]
    status = shift.status()
    assert status["failed"] == 4
    assert "completionTime" not in status
    assert status["conditions"][1]["message"] == "Job has reached the specified backoff limit"
    assert shift.told() == [*["SuccessfulCreate"] * 4, "BackoffLimitExceeded"]


def test_a_cluster_is_not_idle_while_a_job_waits_to_try_again():
    shift = Shift()
    shift.apply(make_job(command="sleep 5; exit 1", backoffLimit=7))
    for at in (10, 30, 300, 1000, 1200):
        shift.run(at - shift.cluster.now_ms / 1000)
        assert not shift.cluster.is_idle(), at
    shift.run(600)
    assert shift.cluster.is_idle()


@pytest.mark.spec("JOB-BACKOFF-03")
def test_a_success_forgets_the_failures_before_it():
    shift = Shift(seed=5)
    # Every third pod by age succeeds.
    shift.apply(make_job(command="sleep 5; exit 1", completions=2, backoffLimit=9))
    shift.run(16)
    assert seconds(shift) == [0, 15]
    name = shift.pods()[-1]["metadata"]["name"]
    status = {"phase": "Succeeded", "containerStatuses": []}
    payload = {"patch": {"status": status}, "type": "merge", "subresource": "status"}
    shift.change("patch", name, "Pod", **payload)
    shift.run(30)
    # No wait after the success, and ten seconds again after the next failure.
    assert seconds(shift) == [0, 15, 16, 31]


@pytest.mark.spec("JOB-FAIL-01", "JOB-BACKOFF-05", "JOB-BACKOFF-06", "JOB-BACKOFF-07", "JOB-BACKOFF-08")
@pytest.mark.parametrize("limit, restarts", [(0, 1), (1, 1), (2, 2), (3, 3)])
def test_restarts_in_place_reach_the_limit(limit: int, restarts: int):
    shift = Shift()
    shift.apply(make_job(command="sleep 1; exit 1", policy="OnFailure", backoffLimit=limit))
    shift.run(600)
    assert [count for _at_ms, count in shift.lane("Pod", "container.main.restartCount")] == list(
        range(1, restarts + 1)
    )
    assert shift.conditions()[1] == ("Failed", "True", "BackoffLimitExceeded")
    assert shift.pods() == []
    assert (len(shift.created()), shift.status()["failed"]) == (1, 1)
    assert "SuccessfulDelete" in shift.told()


@pytest.mark.spec("JOB-BACKOFF-05")
def test_restarts_of_containers_that_are_never_ready_count_too():
    shift = Shift()
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 1}
    job = make_job(command="sleep 2; exit 1", policy="OnFailure", backoffLimit=2)
    job["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] = probe
    shift.apply(job)
    shift.run(600)
    assert shift.conditions()[1] == ("Failed", "True", "BackoffLimitExceeded")
    assert [count for _at_ms, count in shift.lane("Pod", "container.main.restartCount")] == [1, 2]


@pytest.mark.spec("JOB-EX-04", "JOB-FAIL-10", "JOB-REPL-01", "JOB-REPL-03", "JOB-REPL-05", "OVER-04")
def test_a_pod_deleted_by_hand_counts_as_failed_at_once_and_is_replaced():
    shift = Shift()
    shift.apply(make_job(command="trap '' TERM; sleep 100"))
    shift.run(10)
    shift.change("delete", shift.pods()[0]["metadata"]["name"], "Pod")
    shift.run(1)
    status = shift.status()
    assert (status["failed"], status["terminating"]) == (1, 1)
    shift.run(15)
    assert seconds(shift) == [0, 20]
    status = shift.status()
    assert (status["active"], status["terminating"]) == (1, 1)
    shift.run(300)
    assert shift.status()["succeeded"] == 1


@pytest.mark.spec("JOB-REPL-02", "JOB-PAR-15")
def test_with_policy_failed_a_pod_counts_and_is_replaced_when_it_has_ended():
    shift = Shift()
    shift.apply(make_job(command="trap '' TERM; sleep 100", podReplacementPolicy="Failed"))
    shift.run(10)
    shift.change("delete", shift.pods()[0]["metadata"]["name"], "Pod")
    shift.run(29)
    status = shift.status()
    assert ("failed" in status, "active" in status, status["terminating"]) == (False, False, 1)
    shift.run(30)
    assert seconds(shift) == [0, 50]
    assert shift.status()["failed"] == 1


@pytest.mark.spec("JOB-FIN-02", "JOB-FIN-03")
def test_a_forced_deletion_loses_no_pod():
    shift = Shift()
    shift.apply(make_job(command="sleep 10", completions=3, parallelism=3))
    shift.run(5)
    for pod in shift.pods()[:2]:
        shift.change("delete", pod["metadata"]["name"], "Pod", gracePeriodSeconds=0)
    shift.run(600)
    assert (shift.status()["failed"], shift.status()["succeeded"]) == (2, 3)


@pytest.mark.spec("JOB-FIN-03")
def test_a_watch_sees_the_uid_before_the_count():
    shift = Shift()
    shift.apply(make_job(command="sleep 5"))
    shift.run(4)
    shift.cluster.take_changes()
    shift.run(10)
    jobs = [one.new for one in shift.cluster.take_changes().versions if one.new.kind.name == "Job"]
    seen = [(len(job.status.uncounted.succeeded), job.status.succeeded) for job in jobs]
    assert seen == [(1, 0), (0, 1)]


@pytest.mark.spec("JOB-FAIL-04")
def test_files_outlive_a_container_and_not_its_pod():
    volume = {"volumes": [{"name": "work", "emptyDir": {}}]}
    mount = [{"name": "work", "mountPath": "/data"}]
    for policy, succeeded in (("OnFailure", True), ("Never", False)):
        shift = Shift()
        job = make_job(
            command="test -f /data/done && exit 0; touch /data/done; exit 1", policy=policy, backoffLimit=2
        )
        job["spec"]["template"]["spec"] |= volume
        job["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = mount
        shift.apply(job)
        shift.run(600)
        assert shift.job().has_succeeded is succeeded


@pytest.mark.spec("JOB-DEADLINE-04")
def test_a_deadline_of_the_template_is_the_pods_and_its_end_a_failure():
    shift = Shift()
    pod: dict[str, Any] = {"activeDeadlineSeconds": 3}
    shift.apply(make_job(command="trap 'exit 0' TERM; sleep 60 & wait", pod=pod, backoffLimit=1))
    shift.run(60)
    assert [one["status"]["reason"] for one in shift.pods()] == ["DeadlineExceeded"] * 2
    assert shift.conditions()[1] == ("Failed", "True", "BackoffLimitExceeded")


# --- other people's pods ------------------------------------------------------------------------------------


@pytest.mark.spec("JOB-SEL-04", "JOB-SEL-05", "JOB-SEL-06", "JOB-SEL-08", "JOB-SEL-09", "JOB-SEL-10")
def test_a_manual_selector_adopts_what_nobody_has_and_leaves_the_rest():
    shift = Shift()
    labels = {"mine": "yes"}
    container = {"name": "main", "image": "busybox:1.36", "command": ["sleep", "20"]}
    bare = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare", "labels": labels}}
    shift.apply({**bare, "spec": {"restartPolicy": "Never", "containers": [container]}})
    own = {"selector": {"matchLabels": labels}, "manualSelector": True}
    shift.apply(make_job("one", labels=labels, completions=2, **own))
    shift.run(1)
    pod = shift.get("Pod", "bare")
    assert pod["metadata"]["ownerReferences"][0]["name"] == "one"
    assert pod["metadata"]["finalizers"] == [TRACKING]
    assert pod["spec"]["containers"][0]["command"] == ["sleep", "20"]
    shift.apply(make_job("two", labels=labels, **own))
    shift.run(60)
    assert shift.status("one")["succeeded"] == 2
    assert shift.status("two")["succeeded"] == 1
    assert shift.job("one").spec.selector.match_labels == labels


@pytest.mark.spec("JOB-SEL-07", "JOB-FIN-05", "JOB-CLEAN-08")
@pytest.mark.parametrize("how", [{"propagationPolicy": "Orphan"}, {"options": False}])
def test_pods_that_are_left_behind_lose_their_finalizer_and_run_on(how: dict[str, Any]):
    # A request that says nothing leaves a Job's pods; kubectl always says something.
    shift = Shift()
    shift.apply(make_job(command="sleep 100", completions=2, parallelism=2))
    shift.run(5)
    uid = shift.job().meta.uid
    shift.change("delete", "work", "Job", **how)
    shift.run(5)
    assert shift.cluster.get("Job", "default", "work") is None
    for pod in shift.pods():
        assert pod["metadata"]["labels"][UID] == uid
        assert not {"ownerReferences", "finalizers"} & set(pod["metadata"])
        assert pod["status"]["phase"] == "Running"


@pytest.mark.spec("JOB-EX-02", "JOB-CLEAN-03", "OVER-10")
@pytest.mark.parametrize("propagation", ["Background", "Foreground"])
def test_a_deleted_job_takes_its_pods_along(propagation: str):
    shift = Shift()
    shift.apply(make_job(command="sleep 10", completions=4, parallelism=2))
    shift.run(15)
    shift.change("delete", "work", "Job", propagationPolicy=propagation)
    shift.run(60)
    assert shift.cluster.get("Job", "default", "work") is None
    assert shift.pods() == []
    assert len(shift.created()) == 4


@pytest.mark.spec("JOB-MANAGED-01", "JOB-MANAGED-02")
@pytest.mark.parametrize("manager, pods", [("example.com/queue", 0), ("kubernetes.io/job-controller", 1)])
def test_a_job_of_another_controller_is_left_alone(manager: str, pods: int):
    shift = Shift()
    shift.apply(make_job(managedBy=manager))
    shift.run(60)
    assert len(shift.pods()) == pods
    assert bool(shift.status()) == bool(pods)


@pytest.mark.spec("JOB-ALT-01", "OVER-02")
def test_a_pod_of_a_job_is_replaced_where_a_bare_one_is_not():
    shift = Shift()
    container = {"name": "main", "image": "busybox:1.36", "command": ["sleep", "100"]}
    bare = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare"}}
    shift.apply({**bare, "spec": {"restartPolicy": "Never", "containers": [container]}})
    shift.apply(make_job(command="sleep 100"))
    shift.run(5)
    for pod in shift.pods():
        shift.change("delete", pod["metadata"]["name"], "Pod", gracePeriodSeconds=0)
    shift.run(30)
    assert [pod["metadata"].get("generateName") for pod in shift.pods()] == ["work-"]


@pytest.mark.spec("JOB-ALT-02")
def test_a_replication_controller_runs_what_is_not_to_end_and_a_job_what_is():
    shift = Shift()
    container = {"name": "main", "image": "busybox:1.36", "command": ["sleep", "5"]}
    spec = {"selector": {"app": "web"}, "template": {"metadata": {"labels": {"app": "web"}}}}
    spec["template"]["spec"] = {"containers": [container]}
    controller = {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "web"}}
    metadata, job = {"name": "web", "namespace": "default"}, make_job(command="sleep 5")
    for policy in ("Never", "OnFailure", "Always"):
        spec["template"]["spec"]["restartPolicy"] = policy
        sent = {**controller, "metadata": metadata, "spec": spec}
        assert shift.submit("create", object=sent).ok is (policy == "Always")
        job["spec"]["template"]["spec"]["restartPolicy"] = policy
        named = {**job, "metadata": {"name": policy.lower(), "namespace": "default"}}
        assert shift.submit("create", object=named).ok is (policy != "Always")
    shift.run(120)
    # The one has begun its pod's container again and again, the others have let theirs come to their end.
    (web,) = [pod for pod in shift.pods() if pod["metadata"]["labels"].get("app") == "web"]
    assert web["status"]["containerStatuses"][0]["restartCount"] > 1
    assert [shift.job(name).has_succeeded for name in ("never", "onfailure")] == [True, True]
    assert [pod["status"]["phase"] for pod in shift.pods() if pod is not web].count("Succeeded") == 2


@pytest.mark.spec("SIDECAR-12")
def test_a_sidecar_never_keeps_a_job_open():
    shift = Shift()
    sidecar = {"name": "side", "image": "busybox:1.36", "restartPolicy": "Always"}
    command = ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"]
    shift.apply(make_job(command="sleep 5", pod={"initContainers": [{**sidecar, "command": command}]}))
    shift.run(60)
    assert shift.job().has_succeeded


# --- what is saved ------------------------------------------------------------------------------------------


def test_the_wait_for_another_try_survives_a_save():
    shift, other = Shift(), Shift()
    for one in (shift, other):
        one.apply(make_job(command="sleep 5; exit 1", backoffLimit=3))
        one.run(17)
    shift.save_and_load()
    for one in (shift, other):
        one.run(600)
    assert shift.created() == other.created() == [0, 15_000, 40_000, 85_000]


def test_a_cluster_from_before_jobs_were_run_goes_on():
    """Then a Job was stored as it was sent, without a selector."""
    shift = Shift()
    shift.apply(make_job(completions=2))
    data = shift.get("Job", "work")
    old = {**data, "spec": {name: value for name, value in data["spec"].items() if name != "selector"}}
    old["spec"]["template"] = {**old["spec"]["template"], "metadata": {}}
    old.pop("status", None)
    shift.take_up([old])
    shift.run(60)
    assert shift.status()["succeeded"] == 2
