"""What cannot be interpreted is named, says what is assumed instead, and reaches the pod as an event."""

from typing import Any

import pytest
import yaml

from tests.engine.programs.test_examples_in_a_cluster import Run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("construct", "named", "fallback"),
    [
        (
            "select x in a b; do echo $x; done",
            "select in line 1",
            "assumed to run for ever and to ignore its stop signal",
        ),
        ("coproc cat", "coproc in line 1", "assumed to run for ever"),
        ("trap 'exit 0' TERM; coproc C { cat; }", "coproc in line 1", "to exit 0 on its stop signal"),
        ("declare -n ref=x", "declare -n", "taken to declare an ordinary variable"),
        ("declare -i n=5", "declare -i", "taken to declare an ordinary variable"),
        ("trap 'echo t' DEBUG; true", "trap DEBUG", "it is never called"),
        ("echo x > >(cat)", "writing to a process substitution", "assumed to run for ever"),
        ("declare -A m=(a b)", "an element without a key", "taken to fail with status 2"),
        ("echo ${x@Q}", "the expansion ${x@Q", "assumed to run for ever"),
        ("eval 'select x in a; do :; done'", "select in line 1", "taken as a syntax error, status 2"),
        ("mapfile -C f a < /etc/hosts", "mapfile -C", "taken to fail with status 2"),
        ("read -t 2 x", "read -t", "taken to fail with status 2"),
        ("getopts ab: option", "getopts", "taken to fail with status 2"),
        ("date -d yesterday", "date -d", "taken to fail with status 1"),
        ("sort -V /etc/hostname", "sort with -V", "taken to succeed"),
        ("head -n -1 /etc/hostname", "head -n -1", "taken to succeed"),
        ("x=ab; echo ${x/#a/b}", "the expansion operator '/#'", "taken to fail with status 2"),
        ("printf %q x", "printf %q", "taken to fail with status 2"),
        ("false | true; echo ${PIPESTATUS[1]}", "PIPESTATUS", "taken to fail with status 2"),
        ("type -t echo", "type -t", "taken to fail with status 2"),
        ("echo $((2 ** 3))", "the operator **", "taken to fail with status 2"),
        ("expr length abc", "expr with length", "taken to fail with status 2"),
        ("printf 'a' | uniq -d", "uniq with -d", "taken to succeed"),
        ("shopt -s extglob", "shopt extglob", "taken to change nothing"),
        ("false |& cat", "'|&' in line 1", "assumed to run for ever"),
        ("frobnicate --all; true", "the command 'frobnicate --all'", "taken to succeed at once"),
        ("date | awk '{ print | \"sort\" }'", "awk a pipe", "taken to fail with status 2"),
        ("date | grep -A 2 x", "grep with -A", "taken to succeed"),
        ("date | grep -oP 'a(?=b)'", "grep", "taken to fail with status 2"),
        ("mkfifo p", "the command 'mkfifo p'", "taken to succeed at once"),
        ("sleep 9 & kill -STOP $!", "SIGSTOP", "it goes on running"),
        ("while :; do :; done", "a loop that never waits", "taken to need 1 s"),
    ],
)
def test_warning_event_names_construct_and_fallback(construct: str, named: str, fallback: str) -> None:
    container = {"name": "app", "image": "bash:5", "command": ["bash", "-c", construct + "\nsleep 60"]}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "odd"},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    run = Run(yaml.safe_dump(pod))
    run.cluster.run_until(3_000)
    rows: list[Any] = [row for row in run.cluster.take_changes().rows if hasattr(row, "event_type")]
    warnings = [row for row in rows if row.reason == "UninterpretedBehavior"]
    assert [row.event_type for row in warnings] == ["Warning"]
    assert named in warnings[0].message and fallback in warnings[0].message


def test_check_that_cannot_be_interpreted_is_told_once() -> None:
    probe = {"exec": {"command": ["/app/health", "--deep"]}, "periodSeconds": 1}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "odd"},
        "spec": {"containers": [{"name": "app", "image": "own:1", "livenessProbe": probe}]},
    }
    run = Run(yaml.safe_dump(pod))
    run.cluster.run_until(20_000)
    rows: list[Any] = [row for row in run.cluster.take_changes().rows if hasattr(row, "event_type")]
    assert [(row.event_type, row.field_path, row.message) for row in rows if row.event_type == "Warning"] == [
        (
            "Warning",
            "spec.containers{app}",
            "cannot interpret the check '/app/health --deep': taken to pass once the program is ready",
        )
    ]


def test_check_that_signals_the_program_is_felt_at_once() -> None:
    probe = {"exec": {"command": ["sh", "-c", "kill 1"]}, "initialDelaySeconds": 5}
    script = "trap 'exit 3' TERM; sleep 600 & wait"
    container = {"name": "app", "image": "busybox", "command": ["sh", "-c", script], "readinessProbe": probe}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "odd"},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    run = Run(yaml.safe_dump(pod))
    assert "running" in run.container_at(9, "odd")["state"]
    assert run.container_at(11, "odd")["state"]["terminated"]["exitCode"] == 3
