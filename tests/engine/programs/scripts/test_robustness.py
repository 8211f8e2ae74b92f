"""Broken, endless and greedy scripts: nothing brings the interpreter down, everything stays bounded."""

import json
import random

import pytest

from tests.engine.programs.corpus import CORPUS
from tests.engine.programs.scripts.test_corpus import friendly_world
from tests.engine.programs.test_differential import BASH_SCRIPTS, SCRIPTS
from tests.engine.programs.worlds import FakeWorld, pod_spec, run_script, run_until, start, start_script
from tests.seeds import one_in

pytestmark = pytest.mark.slow

TEXTS = [*SCRIPTS, *BASH_SCRIPTS, *(command[-1] for _, _, command in CORPUS)]
SIGNS = "$`\"'(){}[]|&;<>\\\n *?#!~=+-/%^:.,@0123456789abcxyz"


def mutate(text: str, chance: random.Random) -> str:
    """Some signs put in, taken out or cut."""
    for _ in range(chance.randrange(1, 6)):
        place = chance.randrange(len(text) + 1)
        cut = chance.choice((0, 0, 1, 1, 6))
        text = text[:place] + (chance.choice(SIGNS) if cut == 0 else "") + text[place + cut :]
    return text


@pytest.mark.parametrize("seed", one_in(4, range(8)))
def test_broken_scripts_fail_or_run_but_never_raise(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        world = friendly_world()
        shell = chance.choice(("sh", "bash", "dash"))
        script = mutate(chance.choice(TEXTS), chance)
        process = start(pod_spec({"command": [shell, "-c", script]}), world)
        run_until(process, world, 3_000)
        process.signal(3_000, "SIGTERM", world)
        run_until(process, world, 5_000)


@pytest.mark.parametrize(
    "script",
    one_in(
        3,
        [
            "while true; do :; done",
            "f() { f; }; f",
            "yes | cat > /dev/null",
            "x=a; while :; do x=$x$x; done",
            "while :; do date >> /tmp/log; done",
            ": | while :; do read x; done",
        ],
    ),
)
def test_what_never_waits_is_slowed_down_and_told(script: str) -> None:
    process, _ = run_script(script, until_ms=20_000)
    assert process.exit is not None or (process.next_wake_ms() or 0) > 20_000
    problems = process.take_problems()
    assert process.exit is not None or any("never waits" in problem for problem in problems)
    assert process.take_problems() == []


LONG = "x=aaaaaaaaaaaaaaaa; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do x=$x$x; done; "


@pytest.mark.parametrize(
    ("script", "named"),
    one_in(
        4,
        [
            pytest.param("echo {1..9999}{1..9999}", "words made of braces", id="product of braces"),
            pytest.param(LONG + "echo " + "$x" * 3000, "words of more than 4 MiB", id="long word"),
            pytest.param(LONG + "echo ${x//a/$x}", "a text of more than 4 MiB", id="replacement"),
            pytest.param("a=(1); while :; do a+=(${a[@]}); done", "elements of the array a", id="array"),
            pytest.param("set -- $(seq 1 150000); set -- $@ $@", "more than 250000 words", id="arguments"),
            pytest.param(
                LONG + "i=0; while :; do i=$((i+1)); a[i]=$x; done",
                "MiB in variables",
                id="array of long values",
            ),
            pytest.param(
                LONG + "for i in $(seq 1 80); do echo $x > /tmp/$i; done", "taken for a full disk", id="files"
            ),
            pytest.param('x=\'eval "$x"\'; eval "$x"', "calls itself without end", id="eval"),
            pytest.param("printf '%99999s' $(seq 1 9999)", "a command's arguments", id="printf"),
            pytest.param("echo " + "${a:-" * 2000 + "}" * 2000, "nested so deeply", id="nested expansions"),
            pytest.param(
                "if :; then " * 900 + ":; " + "fi; " * 900, "nested so deeply", id="nested commands"
            ),
            pytest.param("date -d @99999999999999999", "date", id="far future"),
            pytest.param("python3 -c 'x=9" + "\nx=x*x" * 20 + "'", "so large a value", id="large number"),
            pytest.param("python3 -c 'print(\"%999999999d\" % 1)'", "so much of a text", id="wide number"),
            pytest.param(LONG + "yes | awk -v x=$x '{x = x x}'", "more than 1 MiB", id="awk text"),
            pytest.param(LONG + "awk -v OFS=$x 'BEGIN {NF=9999}'", "more than 1 MiB", id="awk fields"),
            pytest.param(LONG + "awk -v x=$x 'BEGIN {print x,x,x,x,x}'", "more than 1 MiB", id="awk print"),
            pytest.param(
                LONG + "awk -v x=$x 'BEGIN {printf \"%s%s%s%s%s\", x, x, x, x, x}'",
                "more than 1 MiB",
                id="awk printf",
            ),
            pytest.param(LONG + "yes | awk -v x=$x '{y=x NR}'", "a loop that never waits", id="awk endless"),
            pytest.param(
                LONG + "seq 1 3000 > /tmp/f; awk -v x=$x '{y=x NR}' /tmp/f",
                "awk a program that takes",
                id="awk steps",
            ),
            pytest.param(
                LONG + "while sleep 1; do echo; done | awk -v x=$x '{a=a x; b=b x}'",
                "more than 1 MiB kept from record to record",
                id="awk texts over time",
            ),
        ],
    ),
)
def test_greedy_script_is_refused_and_named(script: str, named: str) -> None:
    process, _ = run_script(script, shell="bash", until_ms=4_000)
    said = [*process.behavior.problems, *process.take_problems()]
    assert any(named in problem for problem in said), said
    assert len(json.dumps(process.save())) < 20 << 20


@pytest.mark.parametrize(
    ("loop", "most"),
    [
        pytest.param("x=$(echo a)", 10, id="waiting for others that work"),
        pytest.param("sleep 5", 4, id="sleeping"),
    ],
)
def test_work_without_a_pause_gets_ever_slower(loop: str, most: int) -> None:
    world = FakeWorld()
    process = start_script(f"while :; do {loop}; done > /dev/null", world)
    wakes = 0
    while (due_ms := process.next_wake_ms()) is not None and due_ms <= 15_000:
        process.run(due_ms, world)
        wakes += 1
    assert wakes <= most


def test_name_that_stands_for_a_sum_of_names_is_not_followed_for_ever() -> None:
    names = [f"v{number}='v{number + 1}+v{number + 1}'" for number in range(35)]
    assert run_script("; ".join(names) + "; v35=1; (echo $((v0))); echo $?")[1][-1] == "2"


def test_directory_is_not_copied_into_itself() -> None:
    _, lines = run_script("mkdir -p /a/b; cp -r /a /a/b/c; echo $?; find /a", image="debian:12")
    assert lines[1:] == ["1", "/a", "/a/b"]


def test_list_as_long_as_a_page_is_read() -> None:
    assert run_script(" && ".join(["true"] * 500) + " && echo done")[1] == ["done"]


def test_command_that_cannot_be_interpreted_fails_under_set_e() -> None:
    process, lines = run_script("set -e; mapfile -C f a < /etc/hostname; echo on", shell="bash")
    assert lines == [] and process.exit is not None and process.exit.code == 2


def test_redirection_of_a_command_that_cannot_be_interpreted_ends_with_it() -> None:
    _, lines = run_script("mapfile -C f a > /tmp/f; echo on; cat /tmp/f", shell="bash")
    assert lines == ["on"]


def test_pattern_that_cannot_be_read_takes_no_branch() -> None:
    text = (
        "x=$(printf '%09999d' 0); p=$(printf '?%.0s' $(seq 1 3000)); case $x in $p) echo hit;; esac; echo on"
    )
    assert run_script(text)[1] == ["on"]


def test_loop_that_ends_by_itself_ends_in_time() -> None:
    process, lines = run_script("i=0; while [ $i -lt 6000 ]; do i=$((i+1)); done; echo $i")
    assert lines == ["6000"]
    assert process.exit is not None and process.exit.at_ms <= 5_000


def test_endless_work_shows_in_the_cpu() -> None:
    process, _ = run_script("sleep 1; while :; do :; done", until_ms=2_500)
    assert process.usage(2_500)[0] == 1_000
    idle, _ = run_script("sleep 60", until_ms=2_500)
    assert idle.usage(2_500)[0] == 0


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("if true; then echo x", "the syntax in line 1"),
        ("echo 'open", "a quote that is not closed"),
        ("select x in a b; do echo $x; done", "select"),
        ("coproc cat", "coproc"),
    ],
)
def test_text_beyond_the_interpreter_is_named(script: str, named: str) -> None:
    world = FakeWorld()
    process = start(pod_spec({"image": "bash:5.2", "command": ["bash", "-c", script]}), world)
    said = [*process.behavior.problems, *process.take_problems()]
    assert any(named in problem for problem in said), said


def test_growing_file_keeps_its_size() -> None:
    text = "i=0; while [ $i -lt 3000 ]; do echo 0123456789 >> /tmp/l; i=$((i+1)); done; wc -c < /tmp/l"
    assert run_script(text)[1] == ["33000"]


@pytest.mark.parametrize("script", ["sed ':a;s/^/x/;ta'", "sed 's/x*/&&/;" + "s/x/&&/g;" * 30 + "'"])
def test_script_of_sed_that_goes_on_and_on_is_refused(script: str) -> None:
    process, lines = run_script(f"echo xx | {script}; echo $?")
    assert lines == ["1"] and any("sed" in problem for problem in process.take_problems())


@pytest.mark.parametrize(
    "script",
    [
        "x=$(printf '%09999d' 0); for i in $(seq 1 400); do echo $x; done | grep -cE '(0|1)*0(1|0){9}2'",
        "x=$(printf '%09999d' 0); for i in $(seq 1 400); do echo $x; done | sed -E 's/(0|1)*0(1|0){9}2//'",
        "x=$(printf '%0999d' 0); for i in $(seq 1 4000); do echo $x; done | grep -cP '(?<=1)0*?0*2'",
    ],
)
def test_tool_that_works_too_long_at_one_input_is_refused(script: str) -> None:
    process, _ = run_script(script, shell="bash", until_ms=60_000)
    assert any(
        f"cannot interpret {tool}" in problem or f"{tool} is taken" in problem
        for problem in process.take_problems()
        for tool in ("grep", "sed")
    )


@pytest.mark.parametrize(
    ("script", "most"),
    one_in(
        6,
        [
            pytest.param("x=/t; while :; do x=$x/a; mkdir -p $x; echo; done", 1_300, id="deeper and deeper"),
            pytest.param(
                "while :; do mkdir -p a/b/c/d/e/f/g/h; cd a; echo; done", 1_100, id="folder by folder"
            ),
            pytest.param("x=$(seq 1 9000); while :; do y=${x//1/11}; echo; done", 2, id="replacing"),
            pytest.param("seq 1 20000 >f; while :; do sed s/1/2/g f >g; echo; done", 2, id="sed"),
            pytest.param("seq 1 20000 >f; while :; do grep -E '(1|2)+3' f >g; echo; done", 2, id="grep"),
            pytest.param("seq 1 20000 >f; while :; do tr 1 2 <f >g; echo; done", 4, id="tr"),
            pytest.param(
                "seq 1 20000 >f; while :; do awk '{s+=$1} END {print s}' f >g; echo; done", 3, id="awk"
            ),
            pytest.param("seq 1 40000 >f; while :; do sort f >g; echo; done", 1, id="sort"),
            pytest.param("seq 1 40000 >f; while :; do uniq f >g; echo; done", 1, id="uniq"),
            pytest.param("seq 1 20000 >f; while :; do cut -c1 f >g; echo; done", 2, id="cut"),
            pytest.param("seq 1 20000 >f; while :; do envsubst <f >g; echo; done", 8, id="envsubst"),
            pytest.param("while :; do : {1..9999}; echo; done", 4, id="braces"),
            pytest.param("while :; do echo; : {1..9999}{1..9999}; done", 4, id="braces that are refused"),
            pytest.param("while :; do head -c 9999 /dev/zero | wc -c; done", 14, id="noise"),
            pytest.param("touch $(seq 1 5000); while :; do ls >/dev/null; echo; done", 9, id="names"),
            pytest.param(
                "x=; for i in $(seq 1 900); do x=$x/a; done; ln -s / l; while :; do [ -e $x ]; echo; done",
                25,
                id="a long path",
            ),
        ],
    ),
)
def test_work_counts_for_what_it_costs(script: str, most: int) -> None:
    process = start_script(script, shell="bash")
    assert 0 < len(process.take_output()) <= most, "lines before time has to pass"


@pytest.mark.parametrize("tool", one_in(3, ["sort", "wc", "sed s/1/2/", "cut -c1", "base64", "tr 1 2 <"]))
def test_no_tool_reads_more_in_one_go_than_others_may_wait_for(tool: str) -> None:
    text = f"seq 1 49999 >f; for i in 1 2 3 4; do cat f >>g; done; {tool} g >h; echo $?"
    process, lines = run_script(text, shell="bash")
    assert lines != ["0"]
    assert any("more than" in problem for problem in process.take_problems())


def test_all_containers_together_do_so_much_at_one_instant() -> None:
    """Each of twenty scripts that never wait would do 20,000 steps at once; together they do 200,000."""
    world, text = FakeWorld(), "while :; do echo; done"
    processes = [start_script(text, world) for _ in range(20)]
    lines = [len(process.take_output()) for process in processes]
    assert sum(lines) < 200_000 and lines[-1] == 0
    # Who came too late goes on a moment later, and without a word of reproach.
    assert processes[-1].next_wake_ms() == 1
    assert processes[-1].take_problems() == []


def test_who_fills_the_instant_alone_is_not_simply_given_the_next() -> None:
    """One call of a tool may be more than fits into an instant: it is who called it that has to wait."""
    process = start_script("seq 1 30000 > f; while :; do awk '{t=t $1}' f; done", shell="bash")
    assert process.next_wake_ms() == 1_000
    assert any("a loop that never waits" in problem for problem in process.take_problems())


@pytest.mark.parametrize("read", ['eval "$x"', 'sh -c "$x"', '(trap "$x" EXIT)', 'echo "$x" >f; . ./f'])
def test_a_script_that_is_refused_unread_costs_a_look(read: str) -> None:
    """131,072 commands, for each of which reading would count as two."""
    world = FakeWorld()
    process = start_script(f'x=:; for i in {{1..17}}; do x="$x;$x"; done; {read}', world, shell="bash")
    assert world.crowd.steps < 10_000
    assert any("cannot interpret" in problem for problem in process.take_problems())
