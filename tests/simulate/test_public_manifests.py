"""Public manifests behave as their documentation says, unannotated, run until idle."""

import pytest

from tests.simulate.running import MANIFESTS, run_file


def run(name, **overrides):
    return run_file(MANIFESTS / f"{name}.yaml", timing="instant", **overrides)


def test_the_exec_liveness_example_is_restarted_over_and_over():
    """The file goes after 30 s; checks fail at 35, 40 and 45; a shell without a trap needs SIGKILL.

    A look that kills counts the delay from the end before: runs of 75 s wait for none of 10 s.
    """
    lanes = run("exec-liveness").lanes()["liveness-exec"]
    assert [at for at, _ in lanes["starts liveness"]][:3] == [0.0, 75.0, 150.0]
    assert lanes["probe.liveness.liveness"][:3] == [(5.0, "Success"), (35.0, "Failure"), (45.0, "Failure")]


def test_the_http_liveness_example_fails_after_ten_seconds():
    """Checks at 3, 6, 9 succeed; 12, 15, 18 fail."""
    lanes = run("http-liveness").lanes()["liveness-http"]
    assert [at for at, _ in lanes["starts liveness"]][:2] == [0.0, 18.0]


def test_the_tcp_example_is_ready_at_its_first_check():
    """Asked at 0, too early for a delay of 15 s, and every 10 s from then on (worker.go)."""
    lanes = run("tcp-liveness-readiness").lanes()["goproxy"]
    assert lanes["condition.Ready"] == [(0.0, "False/ContainersNotReady"), (20.0, "True")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["init-containers", "lifecycle-events", "startup-coordination"])
def test_pods_become_ready(name):
    (lanes,) = run(name).lanes().values()
    assert lanes["condition.Ready"][-1][1] == "True"


def test_the_main_app_reads_what_its_sidecar_wrote():
    assert [text for *_, text in run("startup-coordination").logs] == ["greeting=hello"]


def test_a_config_map_is_mounted_as_files():
    assert [text for *_, text in run("pod-configmap-volume").logs] == ["SPECIAL_LEVEL", "SPECIAL_TYPE"]


def test_a_pod_prints_what_it_knows_of_itself():
    texts = [text for *_, text in run("dapi-envars-pod").logs]
    assert {"node-1", "dapi-envars-fieldref", "default"} <= set(texts)
