"""Manifests of the documentation with commands, unannotated, in whole clusters: they do what it says."""

from typing import Any

import pytest

from tests.engine.programs.test_examples_in_a_cluster import Run


def logs_of(run: Run, container: str) -> list[tuple[int, str]]:
    return [(at_ms, text) for _, name, _, at_ms, text in run.cluster.take_changes().logs if name == container]


@pytest.mark.spec("POD-OBJ-10", "POD-OBJ-22")
def test_sidecar_tails_the_log_of_the_application() -> None:
    """A sidecar that begins before the application follows the file that only comes later."""
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: myapp}
        spec:
          containers:
          - name: myapp
            image: alpine:latest
            command: ['sh', '-c', 'while true; do echo "logging" >> /opt/logs.txt; sleep 1; done']
            volumeMounts: [{name: data, mountPath: /opt}]
          initContainers:
          - name: logshipper
            image: alpine:latest
            restartPolicy: Always
            command: ['sh', '-c', 'tail -F /opt/logs.txt']
            volumeMounts: [{name: data, mountPath: /opt}]
          volumes: [{name: data, emptyDir: {}}]
        """
    )
    assert run.pod_at(10, "myapp")["status"]["phase"] == "Running"
    lines = logs_of(run, "logshipper")
    assert {text for _, text in lines} == {"logging"}
    # One for each second, seen within a second of being written.
    assert 10 <= len(lines) <= 11


def test_job_template_sidecar_ends_with_the_main_container() -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: myjob}
        spec:
          restartPolicy: Never
          containers:
          - name: myjob
            image: alpine:latest
            command: ['sh', '-c', 'echo "logging" > /opt/logs.txt']
            volumeMounts: [{name: data, mountPath: /opt}]
          initContainers:
          - name: logshipper
            image: alpine:latest
            restartPolicy: Always
            command: ['sh', '-c', 'tail -F /opt/logs.txt']
            volumeMounts: [{name: data, mountPath: /opt}]
          volumes: [{name: data, emptyDir: {}}]
        """
    )
    assert run.pod_at(60, "myjob")["status"]["phase"] == "Succeeded"


def test_pi_is_computed_and_logged() -> None:
    """The template of the Job `pi` as a bare pod: 2,000 digits and a point."""
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: pi}
        spec:
          restartPolicy: Never
          containers:
          - {name: pi, image: "perl:5.34.0", command: ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]}
        """
    )
    assert run.pod_at(60, "pi")["status"]["phase"] == "Succeeded"
    ((_, line),) = logs_of(run, "pi")
    assert len(line) == 2_001 and line.startswith("3.1415926535")


def test_hello_of_the_cron_job_says_the_date() -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: hello}
        spec:
          restartPolicy: OnFailure
          containers:
          - name: hello
            image: busybox:1.28
            imagePullPolicy: IfNotPresent
            command: [/bin/sh, -c, date; echo Hello from the Kubernetes cluster]
        """
    )
    assert run.pod_at(1, "hello")["status"]["phase"] == "Succeeded"
    lines = [text for _, text in logs_of(run, "hello")]
    assert lines == ["Thu Jan  1 00:00:00 UTC 2026", "Hello from the Kubernetes cluster"]


@pytest.mark.spec("POD-OBJ-06")
def test_indexed_work_takes_its_word_from_an_init_container() -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: indexed}
        spec:
          restartPolicy: Never
          initContainers:
          - name: input
            image: docker.io/library/bash
            env: [{name: JOB_COMPLETION_INDEX, value: "3"}]
            command:
            - "bash"
            - "-c"
            - |
              items=(foo bar baz qux xyz)
              echo ${items[$JOB_COMPLETION_INDEX]} > /input/data.txt
            volumeMounts: [{mountPath: /input, name: input}]
          containers:
          - name: worker
            image: docker.io/library/busybox
            command: ["rev", "/input/data.txt"]
            volumeMounts: [{mountPath: /input, name: input}]
          volumes: [{name: input, emptyDir: {}}]
        """
    )
    assert run.pod_at(1, "indexed")["status"]["phase"] == "Succeeded"
    assert [text for _, text in logs_of(run, "worker")] == ["xuq"]


def test_lifecycle_hooks_of_nginx_run_in_its_container() -> None:
    """`postStart` writes a file the container keeps; `preStop` stops nginx and waits until it has gone."""
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: lifecycle-demo}
        spec:
          containers:
          - name: lifecycle-demo-container
            image: nginx
            lifecycle:
              postStart:
                exec:
                  command: ["/bin/sh", "-c", "echo Hello from the postStart handler > /usr/share/message"]
              preStop:
                exec:
                  command: ["/bin/sh","-c","nginx -s quit; while killall -0 nginx; do sleep 1; done"]
            readinessProbe:
              exec: {command: [grep, "Hello from the postStart handler", /usr/share/message]}
        """
    )
    assert run.container_at(15, "lifecycle-demo")["ready"] is True
    run.submit("delete", kind="Pod", namespace="default", name="lifecycle-demo")
    run.cluster.run_until(17_000)
    assert run.cluster.get("Pod", "default", "lifecycle-demo") is None


@pytest.mark.parametrize(
    ("code", "expected"), [(42, ("Running", 1)), (7, ("Failed", 0))], ids=["rule says restart", "no rule"]
)
def test_restart_rules_look_at_the_exit_code_of_the_script(code: int, expected: tuple[str, int]) -> None:
    run = Run(
        f"""
        apiVersion: v1
        kind: Pod
        metadata: {{name: restart-on-exit-codes}}
        spec:
          restartPolicy: Never
          containers:
          - name: main
            image: docker.io/library/busybox:1.28
            command: ['sh', '-c', 'sleep 60 && exit {code}']
            restartPolicy: Never
            restartPolicyRules:
            - {{action: Restart, exitCodes: {{operator: In, values: [42]}}}}
        """
    )
    status: dict[str, Any] = run.pod_at(61, "restart-on-exit-codes")["status"]
    assert (status["phase"], status["containerStatuses"][0]["restartCount"]) == expected


@pytest.mark.spec("POD-TERM-08")
def test_graceful_shutdown_with_a_trap_takes_what_the_handler_takes() -> None:
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: graceful}
        spec:
          terminationGracePeriodSeconds: 60
          containers:
          - name: app
            image: busybox
            command:
            - sh
            - -c
            - |
              on_term() { echo "finishing"; sleep 12; echo "done"; exit 0; }
              trap on_term TERM
              while true; do sleep 1 & wait $!; done
        """
    )
    run.cluster.run_until(10_500)
    run.submit("delete", kind="Pod", namespace="default", name="graceful")
    run.cluster.run_until(22_499)
    assert run.cluster.get("Pod", "default", "graceful") is not None
    run.cluster.run_until(22_500)
    assert run.cluster.get("Pod", "default", "graceful") is None
    assert logs_of(run, "app") == [(10_500, "finishing"), (22_500, "done")]


@pytest.mark.spec("RPOL-13")
def test_memory_of_a_script_counts_against_the_limit() -> None:
    """`stress` needs its 250 MiB only after five seconds: killed then, and again after the back-off."""
    run = Run(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: memory-demo}
        spec:
          containers:
          - name: memory-demo-ctr
            image: polinux/stress
            resources: {requests: {memory: 50Mi}, limits: {memory: 100Mi}}
            command: [sh, -c, "sleep 5; stress --vm 1 --vm-bytes 250M --vm-hang 1"]
        """
    )
    assert "running" in run.container_at(4, "memory-demo")["state"]
    status = run.container_at(6, "memory-demo")
    ended = status["state"].get("terminated") or status["lastState"]["terminated"]
    assert (ended["reason"], ended["exitCode"]) == ("OOMKilled", 137)
    assert run.container_at(30, "memory-demo")["restartCount"] >= 2
