"""Commands whose input stays open: each piece of it is carried out as it comes, where the last one ended."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engine.kubelet.test_execs import SLEEPER, make_world, run
from tests.engine.kubelet.world import World

DEBIAN = SLEEPER | {"image": "debian:12"}


class Talk:
    """What somebody says to one command, and what it answers: output, errors and exit code."""

    def __init__(self, world: World, *command: str, key: str = "one", is_terminal: bool = False) -> None:
        self.world, self.command = world, command
        self.fixed: dict[str, Any] = {"session": key, "isTerminal": is_terminal}
        self.is_first = True

    def say(self, text: str = "", **flags: bool) -> tuple[str, str, int | None]:
        said = {"stdin": text, "isFirst": self.is_first, **self.fixed, **flags}
        self.is_first = False
        found = run(self.world, *self.command, **said)
        return found["stdout"], found["stderr"], found["exitCode"]


def save_and_load(world: World) -> None:
    world.cluster.take_changes()
    world.cluster = type(world.cluster).load(json.loads(json.dumps(world.cluster.save())))


@pytest.mark.slow
@pytest.mark.parametrize("is_saved", [False, True])
@pytest.mark.parametrize(
    "container, command, lines",
    [
        pytest.param(
            SLEEPER,
            ["sh"],
            [
                ("echo one\n", "one\n"),
                ("cd /tmp; x=5\n", ""),
                ("greet() { echo hi $1; }\n", ""),
                ('pwd; echo $x; greet "you"\n', "/tmp\n5\nhi you\n"),
                ("false\n", ""),
                ("echo $?\n", "1\n"),
            ],
            id="folder, variables, functions and status live in the shell",
        ),
        pytest.param(
            SLEEPER,
            ["sh"],
            [
                ("if true\n", ""),
                ("then echo yes\n", ""),
                ("fi\n", "yes\n"),
                ("for x in a b; do\necho $x\n", ""),
                ("done\n", "a\nb\n"),
                ("echo 'a\n", ""),
                ("b'\n", "a\nb\n"),
                ("cat <<END\none\n", ""),
                ("END\n", "one\n"),
                ("echo a &&\n", ""),
                ("echo b\n", "a\nb\n"),
                ("echo c \\\n", ""),
                ("d\n", "c d\n"),
                ("case x in\nx) echo case;;\n", ""),
                ("esac\n", "case\n"),
            ],
            id="a command is whole when its last line has come",
        ),
        pytest.param(
            SLEEPER,
            ["sh"],
            [
                ("read x\n", ""),
                ("hello\n", ""),
                ("echo $x\n", "hello\n"),
                ("read y\nyou\necho $y\n", "you\n"),
            ],
            id="a command reads the lines behind it",
        ),
        pytest.param(SLEEPER, ["sh"], [("ec", ""), ("ho a\nec", "a\n"), ("ho b\n", "b\n")], id="pieces"),
        pytest.param(SLEEPER, ["sh", "-s"], [("echo one\n", "one\n")], id="sh -s"),
        pytest.param(DEBIAN, ["bash"], [("a=(x y)\n", ""), ("echo ${a[1]}\n", "y\n")], id="bash"),
        pytest.param(SLEEPER, ["sh", "-c", "exec sh"], [("echo one\n", "one\n")], id="a shell in a shell"),
        pytest.param(SLEEPER, ["cat"], [("a\n", "a\n"), ("b\nc", "b\n"), ("d\n", "cd\n")], id="cat"),
        pytest.param(
            SLEEPER,
            ["sh", "-c", "while read x; do echo got $x; done"],
            [("a\n", "got a\n"), ("b\nc\n", "got b\ngot c\n")],
            id="a script that reads",
        ),
    ],
)
def test_each_line_is_answered_when_it_comes(container, command, lines, is_saved):
    world = make_world(container)
    talk = Talk(world, *command)
    for said, answer in lines:
        assert talk.say(said) == (answer, "", None), said
        if is_saved:
            save_and_load(world)
    assert talk.say(isEnd=True)[2] == 0


@pytest.mark.parametrize(
    "command, text, answer",
    [
        (["sh"], "echo a; exit 3\n", ("a\n", "", 3)),
        (["sh"], "echo a\necho b", ("a\nb\n", "", 0)),
        (["sh"], "false\n", ("", "", 1)),
        (["wc", "-l"], "a\nb\n", ("2\n", "", 0)),
        (["cat"], "no end", ("no end", "", 0)),
        (["sh"], "if true; then\n", ("", None, 2)),
        (["sh"], "nosuchprogram\n", ("", "sh: nosuchprogram: not found\n", 127)),
    ],
)
def test_the_end_of_the_input_is_the_end(command, text, answer):
    found = Talk(make_world(), *command).say(text, isEnd=True)
    assert found == (answer[0], found[1] if answer[1] is None else answer[1], answer[2])


@pytest.mark.parametrize(
    "container, line",
    [
        (SLEEPER, "tar cf - /tmp"),
        (DEBIAN, "apt-get install curl"),
        (DEBIAN, "nosuchprogram --now"),
        (DEBIAN, "/opt/tool"),
    ],
)
def test_what_is_not_modelled_fails_for_who_asks_for_it(container, line):
    world = make_world(container)
    output, errors, status = Talk(world, "sh").say(f"{line} && echo done; echo $?\n")
    assert output.removesuffix("\n") in ("126", "127") and status is None
    assert "not found" in errors or "not carried out, and fails with status 126" in errors
    found = run(world, "sh", "-c", f"{line} && echo done")
    assert found["stdout"] == "" and found["exitCode"] in (126, 127)


def test_a_command_that_does_not_end_is_killed_and_the_shell_goes_on():
    talk = Talk(make_world(), "sh")
    assert talk.say("sleep 1000\n") == ("", "podline: killed after 60 s of virtual time\n", None)
    assert talk.say("echo $?\n") == ("130\n", "", None)


def test_what_is_sent_to_the_background_goes_on_in_the_containers_time():
    world = make_world()
    talk = Talk(world, "sh")
    assert talk.say("(sleep 100; echo x > /tmp/late) & echo on\n") == ("on\n", "", None)
    assert talk.say("cat /tmp/late\n")[1]
    world.cluster.run_until(120_000)
    assert talk.say("cat /tmp/late\n")[0] == "x\n"


@pytest.mark.parametrize(
    "container, lines",
    [
        pytest.param(
            SLEEPER,
            [
                ("", "/ # "),
                ("cd /tmp\n", "/tmp # "),
                ("ls /none; echo a\n", "ls: /none: No such file or directory\na\n/tmp # "),
                ("while true\n", "> "),
                ("do break; done\n", "/tmp # "),
                ("echo ${x:?unset}\n", "sh: x: unset\n/tmp # "),
                ("cd\n", "~ # "),
            ],
            id="busybox",
        ),
        pytest.param(
            DEBIAN,
            [("", "# "), ("bash\n", "root@web:/# "), ("PS1='$ '\n", "$ "), ("exit\n", "# ")],
            id="dash and bash",
        ),
    ],
)
def test_a_terminal_is_asked_for_each_command(container, lines):
    talk = Talk(make_world(container), "sh", is_terminal=True)
    for said, answer in lines:
        assert talk.say(said) == (answer, "", None), said


def test_an_interrupt_ends_what_runs_and_not_the_shell():
    talk = Talk(make_world(), "sh", is_terminal=True)
    talk.say("cat\n")
    assert talk.say("a\n") == ("a\n", "", None)
    assert talk.say(isInterrupt=True) == ("/ # ", "", None)
    assert talk.say("echo $?\n") == ("130\n/ # ", "", None)
    talk.say("if true\n")
    assert talk.say(isInterrupt=True) == ("/ # ", "", None)
    assert talk.say("echo on\n") == ("on\n/ # ", "", None)
    reader = Talk(make_world(), "cat", is_terminal=True)
    reader.say("a\n")
    assert reader.say(isInterrupt=True) == ("", "", 130)


def test_a_session_ends_with_its_container():
    world = make_world(
        SLEEPER | {"command": ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 1; done"]}
    )
    talk = Talk(world, "sh")
    talk.say("x=1\n")
    assert run(world, "kill", "1")["exitCode"] == 0
    world.cluster.run_until(10_000)
    assert talk.say("echo $x\n") == ("", "", 137)


def test_sessions_of_people_who_have_gone_make_room():
    world = make_world()
    talks = [Talk(world, "sh", key=str(number)) for number in range(17)]
    for talk in talks:
        assert talk.say("x=1\n")[2] is None
    assert talks[0].say("echo $x\n")[2] == 137
    assert talks[1].say("echo $x\n") == ("1\n", "", None)
    assert run(world, "ps")["stdout"].count(" sh\n") <= 16


def attach(world: World, text: str = "", **flags: bool) -> str:
    return str(run(world, "attach", isAttached=True, stdin=text, **flags)["problem"])


@pytest.mark.parametrize(
    "container",
    [
        {"name": "app", "image": "busybox:1.36", "command": ["sh"]},
        {"name": "app", "image": "busybox:1.36"},
        {"name": "app", "image": "debian:12"},
        {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", "echo hi; exec sh"]},
    ],
)
def test_a_main_program_whose_input_is_open_waits_and_reads_what_is_written(container):
    world = make_world({**container, "stdin": True})
    assert world.container()["state"].keys() == {"running"}
    assert attach(world, "cd /tmp; x=5\n") == ""
    save_and_load(world)
    assert attach(world, "echo $x > told; sleep 2; pwd >> told\n") == ""
    assert run(world, "cat", "/tmp/told")["stdout"] == "5\n"
    # It runs in the container's own time.
    world.cluster.run_until(world.cluster.now_ms + 3_000)
    assert run(world, "cat", "/tmp/told")["stdout"] == "5\n/tmp\n"
    assert attach(world, "exit 3\n") == ""
    world.cluster.run_until(world.cluster.now_ms + 100)
    last = world.container()
    assert (last["state"].get("terminated") or last["lastState"]["terminated"])["exitCode"] == 3


def test_the_end_of_its_input_ends_a_main_program():
    world = make_world({"name": "app", "image": "busybox:1.36", "command": ["cat"], "stdin": True})
    assert attach(world, "a\n") == "" and attach(world, isEnd=True) == ""
    world.cluster.run_until(world.cluster.now_ms + 100)
    last = world.container()
    assert (last["state"].get("terminated") or last["lastState"]["terminated"])["exitCode"] == 0


@pytest.mark.parametrize(
    "container",
    [
        SLEEPER,
        {"name": "app", "image": "nginx:1.27", "stdin": True},
        {"name": "app", "image": "example.org/unknown:1", "stdin": True},
    ],
)
def test_a_program_that_reads_no_input_is_said_so(container):
    assert "takes no input" in attach(make_world(container), "x\n")
