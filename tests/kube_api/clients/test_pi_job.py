"""The documentation's first Job by the requests that kubectl makes for the commands of that page."""

from __future__ import annotations

import pytest

from lifecycle.engine.objects.times import parse_utc_ms
from tests.kube_api.conftest import Shop
from tests.kube_api.test_subresources import Api, api  # noqa: F401

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

JOBS, PODS = "/apis/batch/v1/namespaces/default/jobs", "/api/v1/namespaces/default/pods"
COMMAND = ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]
PI = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "pi"},
    "spec": {
        "template": {
            "spec": {
                "containers": [{"name": "pi", "image": "perl:5.34.0", "command": COMMAND}],
                "restartPolicy": "Never",
            }
        },
        "backoffLimit": 4,
    },
}


@pytest.mark.spec("JOB-EX-05", "JOB-EX-06", "JOB-EX-07", "JOB-EX-09", "JOB-EX-16", "JOB-EX-17", "JOB-EX-18")
def test_the_pi_job_answers_what_kubectl_prints(api: Api, shop: Shop) -> None:  # noqa: F811
    # `kubectl apply` prints "job.batch/pi created" of a 201 with this kind and name.
    code, created = api("POST", JOBS, PI)
    assert (code, created["apiVersion"], created["kind"], created["metadata"]["name"]) == (
        201, "batch/v1", "Job", "pi",
    )  # fmt: skip
    shop.turn(60)
    # What `kubectl describe job pi` is made of.
    job = api("GET", f"{JOBS}/pi")[1]
    spec, status, uid = job["spec"], job["status"], job["metadata"]["uid"]
    assert (job["metadata"]["namespace"], spec["parallelism"], spec["completions"]) == ("default", 1, 1)
    assert spec["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    ran_ms = parse_utc_ms(status["completionTime"]) - parse_utc_ms(status["startTime"])
    assert 0 < ran_ms < 60_000
    assert (status.get("active", 0), status["ready"], status["succeeded"], status.get("failed", 0)) == (
        0, 0, 1, 0,
    )  # fmt: skip
    (container,) = spec["template"]["spec"]["containers"]
    assert (container["image"], container["command"]) == ("perl:5.34.0", COMMAND)
    assert not {"ports", "env", "volumeMounts"} & container.keys()
    assert "volumes" not in spec["template"]["spec"]
    assert spec["template"]["metadata"]["labels"]["batch.kubernetes.io/job-name"] == "pi"
    events = api(
        "GET", "/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DJob"
    )[1]["items"]  # fmt: skip
    assert [one["reason"] for one in events] == ["SuccessfulCreate", "Completed"]
    # `kubectl get pods --selector=… -o jsonpath=…`, and the Pod that `kubectl logs job/pi` looks for.
    found = api("GET", f"{PODS}?labelSelector=batch.kubernetes.io%2Fjob-name%3Dpi")[1]["items"]
    by_uid = api("GET", f"{PODS}?labelSelector=batch.kubernetes.io%2Fcontroller-uid%3D{uid}")[1]["items"]
    (name,) = (pod["metadata"]["name"] for pod in found)
    assert name.startswith("pi-") and [pod["metadata"]["name"] for pod in by_uid] == [name]
    answer = api.client.get(f"/k8s/shop{PODS}/{name}/log")
    log = b"".join(answer.streaming_content) if answer.streaming else answer.content
    assert log.startswith(b"3.14159265358979") and log.endswith(b"275901\n") and len(log) == 2002
