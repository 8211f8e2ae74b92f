"""One process namespace for the containers of a pod: who sees whom, who may end whom, who is process 1."""

from typing import Any

import pytest
import yaml

from lifecycle.engine import Cluster
from tests.engine.programs.test_examples_in_a_cluster import Run
from tests.engine.programs.worlds import run_script

FIRST_CONTAINER = 8


def make_run(second: str, first: str = "trap 'exit 3' TERM; sleep 600 & wait", **spec: Any) -> Run:
    """A pod `two` whose containers `app` and `tool` share their processes."""
    containers = [
        {"name": "app", "image": "busybox", "command": ["sh", "-c", first]},
        {"name": "tool", "image": "busybox", "command": ["sh", "-c", second]},
    ]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "two"},
        "spec": {"shareProcessNamespace": True, "restartPolicy": "Never", "containers": containers, **spec},
    }
    return Run(yaml.safe_dump(pod))


def states(run: Run, seconds: float) -> dict[str, Any]:
    """Exit code of every container that has ended, None of those that run."""
    return {
        one["name"]: one["state"]["terminated"]["exitCode"] if "terminated" in one["state"] else None
        for one in run.pod_at(seconds, "two")["status"]["containerStatuses"]
    }


def logs(run: Run, container: str = "tool") -> list[str]:
    return [text for _, name, _, _, text in run.cluster.take_changes().logs if name == container]


def events(run: Run) -> list[str]:
    return [row.reason for row in run.cluster.take_changes().rows if hasattr(row, "event_type")]


def test_process_list_begins_with_the_pause_container() -> None:
    run = make_run("sleep 1; ps; sleep 600", first="exec sleep 1000")
    run.cluster.run_until(2_000)
    lines = [line.split(maxsplit=3) for line in logs(run)]
    assert lines[0] == ["PID", "USER", "TIME", "COMMAND"]
    seen = {words[3]: int(words[0]) for words in lines[1:]}
    assert seen["/pause"] == 1
    assert seen["sleep 1000"] == FIRST_CONTAINER
    assert "sh -c sleep 1; ps; sleep 600" in seen and "ps" in seen
    assert len(set(seen.values())) == len(lines) - 1


def test_private_namespaces_see_nothing_of_each_other() -> None:
    run = make_run("sleep 1; ps; pkill -f trap; sleep 600", shareProcessNamespace=False)
    run.cluster.run_until(2_000)
    lines = [line.split(maxsplit=3) for line in logs(run)]
    assert [words[0] for words in lines[1:2]] == ["1"]
    assert not any("/pause" in line or "trap" in line for line in logs(run))
    assert states(run, 2)["app"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code"),
    [
        pytest.param(f"kill {FIRST_CONTAINER}", 3, id="the handler runs"),
        pytest.param(f"kill -9 {FIRST_CONTAINER}", 137, id="KILL reaches it: it is not process 1"),
        pytest.param("pkill -f 'sleep 600 & wait'", 3, id="by its command line"),
        pytest.param(f"kill -USR1 {FIRST_CONTAINER}", 138, id="default action of a signal without handler"),
        pytest.param(f"kill -WINCH {FIRST_CONTAINER}", None, id="a harmless one"),
        pytest.param(f"kill -0 {FIRST_CONTAINER} && kill -0 1 && exit 0", None, id="only asked for"),
        pytest.param("kill -9 1", None, id="process 1 takes no KILL from inside"),
        pytest.param("kill -HUP 1", None, id="nor what it has no handler for"),
    ],
)
def test_signal_from_one_container_to_another(command: str, code: int | None) -> None:
    run = make_run(f"sleep 5; {command}; sleep 600")
    assert states(run, 4.999)["app"] is None
    assert states(run, 5)["app"] == code


def test_processes_without_a_handler_end_on_their_stop_signal() -> None:
    """No container's program is process 1 here, so that TERM has its default action: 128 + 15 at once."""
    run = make_run("sleep 600", first="sleep 600", restartPolicy="Always")
    run.cluster.run_until(10_000)
    run.submit("delete", kind="Pod", namespace="default", name="two")
    run.cluster.run_until(10_001)
    assert run.cluster.get("Pod", "default", "two") is None


def test_stopping_the_pause_container_ends_the_whole_sandbox() -> None:
    run = make_run("sleep 5; test -e /tmp/again || kill 1; sleep 600", restartPolicy="Always")
    run.cluster.run_until(4_999)
    run.cluster.take_changes()
    after = run.pod_at(60, "two")["status"]
    assert "SandboxChanged" in events(run)
    assert [one["restartCount"] for one in after["containerStatuses"]] != [0, 0]
    ends = [one["lastState"]["terminated"]["exitCode"] for one in after["containerStatuses"]]
    assert ends == [137, 137]


def test_the_end_of_the_pause_container_ends_a_pod_that_restarts_nothing() -> None:
    run = make_run("sleep 5; kill 1; sleep 600")
    assert states(run, 6) == {"app": 137, "tool": 137}
    assert run.pod_at(6, "two")["status"]["phase"] == "Failed"


def test_program_known_only_by_its_image_is_signalled_as_well() -> None:
    pod = """
    apiVersion: v1
    kind: Pod
    metadata: {name: two}
    spec:
      shareProcessNamespace: true
      restartPolicy: Never
      containers:
      - {name: nginx, image: nginx}
      - name: shell
        image: busybox:1.28
        command: [sh, -c, "sleep 5; kill -HUP 8; sleep 5; pkill nginx; sleep 60"]
    """
    run = Run(pod)
    assert states(run, 9) == {"nginx": None, "shell": None}
    assert states(run, 10) == {"nginx": 0, "shell": None}


def test_hook_of_a_sidecar_ends_the_program_beside_it() -> None:
    stop = {"preStop": {"exec": {"command": ["sh", "-c", "pkill -TERM -f 'sleep 600 & wait'"]}}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "two"},
        "spec": {
            "shareProcessNamespace": True,
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 30,
            "containers": [
                {
                    "name": "app",
                    "image": "busybox",
                    "command": ["sh", "-c", "trap '' TERM; sleep 600 & wait"],
                },
                {
                    "name": "proxy",
                    "image": "busybox",
                    "command": ["sh", "-c", "trap 'sleep 2; exit 4' TERM; sleep 1000 & wait"],
                    "lifecycle": stop,
                },
            ],
        },
    }
    run = Run(yaml.safe_dump(pod))
    run.cluster.run_until(10_000)
    run.submit("delete", kind="Pod", namespace="default", name="two")
    run.cluster.run_until(11_000)
    # `app` ignores TERM whoever sends it; `proxy` takes its two seconds, then `app` is killed at the end.
    assert run.cluster.get("Pod", "default", "two") is not None
    run.cluster.run_until(40_000)
    assert run.cluster.get("Pod", "default", "two") is None


def test_orphans_become_children_of_the_pause_container() -> None:
    run = make_run("(sh -c 'sleep 100 & true'); sleep 1; ps -o ppid,args; sleep 600")
    run.cluster.run_until(2_000)
    assert ["1", "sleep 100"] in [line.split(maxsplit=1) for line in logs(run)]


def test_saving_between_containers_changes_nothing() -> None:
    second = "sleep 5; ps -o pid,ppid,args; kill -USR1 8; sleep 5; ps -o pid,args; kill 1; sleep 600"
    first = "trap 'echo usr1' USR1; while :; do sleep 1; done"

    def play(stops: list[int]) -> tuple[list[Any], dict[str, Any]]:
        run = make_run(second, first, restartPolicy="Always")
        seen: list[Any] = []
        for at_ms in [*stops, 30_000]:
            run.cluster.run_until(at_ms)
            seen += run.cluster.take_changes().logs
            run.cluster = Cluster.load(run.cluster.save())
        return seen, run.pod_at(30, "two")["status"]

    whole, sliced = play([]), play([2_500, 5_000, 7_000, 10_000, 12_000])
    assert any(text == "usr1" for *_, text in whole[0])
    assert sliced == whole


def test_the_node_s_own_process_is_named_and_left_alone() -> None:
    run = make_run("sleep 5; kill 1; sleep 600", shareProcessNamespace=False, hostPID=True)
    assert states(run, 6) == {"app": None, "tool": None}
    warnings = [row.message for row in run.cluster.take_changes().rows if hasattr(row, "event_type")]
    assert any("the node's own process 1: taken to do nothing" in (text or "") for text in warnings)


@pytest.mark.parametrize(("image", "column"), [("busybox", 0), ("debian:12", 1)])
def test_process_list_looks_as_in_the_image(image: str, column: int) -> None:
    """Busybox begins a line with the id; the `ps` of Debian, asked for all in full, with the user."""
    script = f"sleep 1000 & sleep 1; ps -ef | awk '/[s]leep 1000$/ {{print ${column + 1}}}'; echo $!"
    shell = "bash" if column else "sh"
    _, lines = run_script(script, shell=shell, image=image)
    assert len(lines) == 2 and lines[0] == lines[1]
