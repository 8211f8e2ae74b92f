"""A program saved in the middle and loaded again goes on as if nothing had happened."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifecycle.engine.programs import FileLayer, Mount, Process
from tests.engine.programs.test_differential import PROGRAMS
from tests.engine.programs.worlds import FakeWorld, pod_spec, reload, run_until, start

SCRIPTS = {
    "loop": "for i in $(seq 1 5); do echo $i; sleep 1; done; exit 3",
    "function": "f() { local x=$1; sleep 1; echo $x; [ $x = 0 ] || f $((x-1)); }; x=9; f 3; echo $x",
    "pipe": "(for i in 1 2; do sleep 1; echo n $i; done) | while read a b; do echo $b$a; done; echo end",
    "substitution": 'x=$(sleep 2; echo slow; sleep 1; echo er); echo "$x"',
    "trap and job": "trap 'echo stopped; exit 4' TERM; sleep 3 & wait $!; echo woke; sleep 60 & wait",
    "jobs": "sleep 2 & a=$!; (sleep 1; exit 5) & b=$!; wait $b; echo $?; wait $a; echo $?",
    "redirected loop": 'while read l; do sleep 1; echo "<$l>"; done <<X\na\nb\nc\nX\n',
    "here-document in a subshell": "(sleep 1; cat <<X) > /tmp/f\nv=$HOME\nX\ncat /tmp/f",
    "errexit in a trap": "set -e; trap 'sleep 1; echo cleaned' EXIT; sleep 1; false; echo no",
    "case and until": (
        "n=0; until [ $n -ge 3 ]; do case $n in 1) sleep 2;; *) sleep 1;; esac; n=$((n+1)); echo $n; done"
    ),
    "timeout and tee": "timeout 3 sh -c 'while :; do echo x; sleep 1; done' | tee /tmp/o; wc -l < /tmp/o",
    "watching a file": (
        "touch /tmp/l; (sleep 1; echo one >> /tmp/l; sleep 5; echo two >> /tmp/l) &"
        " timeout 8 tail -f /tmp/l; echo seen"
    ),
    "background server": "nginx & sleep 2; nginx -s quit; wait; echo gone",
    "options and arrays": "set -- a 'b c'; for x; do sleep 1; echo \"[$x]\"; done; shift; echo $#",
    "associative array": (
        'declare -A m=([a]=1 [b]=2); for k in "${!m[@]}"; do sleep 1; m[$k]+=x; echo $k ${m[$k]}; done;'
        " f() { local -A m=([c]=3); sleep 1; echo ${m[c]} ${m[a]-none}; }; f; echo ${m[a]}"
    ),
    "awk on a stream": (
        "(for i in 3 1 2; do echo k$i $i; sleep 1; done) | awk '{ s += $2; t = t $1; print s }"
        " END { print s, t, NR }'"
    ),
}


def record(script: str, *, reloads: bool, stop_ms: int = 4_500) -> list[object]:
    """The whole history of a script, with TERM on the way; saved and loaded at every wake if asked."""
    layer = FileLayer()
    world = FakeWorld(volumes=[Mount("/shared", layer)])
    process = start(pod_spec({"image": "bash:5", "command": ["bash", "-c", script]}), world)
    history: list[object] = []

    def note(process: Process) -> None:
        history.extend(process.take_output())
        history.append((process.next_wake_ms(), process.version, process.usage(0)))

    has_stopped = False
    while process.exit is None:
        due_ms = process.next_wake_ms()
        if due_ms is None or (due_ms > stop_ms and not has_stopped):
            if has_stopped:
                break
            has_stopped = True
            process.signal(stop_ms, "SIGTERM", world)
        elif due_ms > 60_000:
            break
        else:
            process.run(due_ms, world)
        process = reload(process) if reloads else process
        note(process)
    return [*history, process.exit, process.take_problems()]


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_history_is_the_same_with_and_without_saving(script: str) -> None:
    assert record(script, reloads=True) == record(script, reloads=False)


@pytest.mark.slow
@given(PROGRAMS, st.sampled_from([0, 1]))
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_any_generated_script_can_be_saved_anywhere(script: str, seconds: int) -> None:
    slowed = script.replace("sleep 0", f"sleep {seconds}").replace("echo", "sleep 0.1; echo")
    assert record(slowed, reloads=True) == record(slowed, reloads=False)


def test_slicing_time_differently_changes_nothing() -> None:
    def record_waking(step_ms: int) -> list[tuple[int, str]]:
        world = FakeWorld()
        spec = pod_spec({"command": ["sh", "-c", SCRIPTS["loop"]]})
        process = start(spec, world)
        for now_ms in range(0, 10_000, step_ms):
            run_until(process, world, now_ms)
        return process.take_output()

    assert record_waking(100) == record_waking(2_500)


def test_hook_under_way_still_reaches_the_program_after_loading() -> None:
    world = FakeWorld()
    process = start(pod_spec({"image": "nginx:1.27"}), world)
    run_until(process, world, 200)
    hook = {"exec": {"command": ["sh", "-c", "sleep 1; nc -z localhost 80"]}}
    process.hook("preStop", hook, 200, world)
    loaded = reload(process)
    run_until(loaded, world, 5_000)
    assert (loaded.hooks["preStop"].finished_ms, loaded.hooks["preStop"].exit_code) == (1_200, 0)


def test_what_the_kernel_tells_follows_a_resize_with_and_without_saving() -> None:
    path = "/sys/fs/cgroup/memory.max"
    world = FakeWorld(kernel_files={path: "64\n"})
    process = start(pod_spec({"command": ["sh", "-c", f"while :; do cat {path}; sleep 1; done"]}), world)
    world.kernel_files = {path: "128\n"}
    for one in (reload(process), process):
        run_until(one, world, 1_000)
        assert [line for _, line in one.take_output()] == ["64", "128"]
