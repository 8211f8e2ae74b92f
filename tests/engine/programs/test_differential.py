"""The interpreter against the real shell of this machine: same output, same exit code."""

import shutil
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.programs.worlds import FakeWorld, pod_spec, run_until, start
from tests.seeds import one_in

pytestmark = pytest.mark.slow


def read_scripts(name: str) -> list[str]:
    return [script.strip("\n") for script in Path(__file__).with_name(name).read_text().split("\n---\n")]


SCRIPTS = read_scripts("scripts_for_shells.txt")
TOOL_SCRIPTS = read_scripts("scripts_for_tools.txt")
AWK_SCRIPTS = read_scripts("scripts_for_awk.txt")
BASH_SCRIPTS = read_scripts("scripts_for_bash.txt")
DASH = shutil.which("dash") or "/bin/sh"
BASH = shutil.which("bash")
AWK = shutil.which("awk")


def real_shell(script: str, folder: Path, shell: str = DASH) -> tuple[str, int]:
    """What a shell prints, and its exit code. Messages of errors are left out: their wording differs."""
    result = subprocess.run(
        [shell, "-c", f"exec 2>/dev/null\n{script}"],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=20,
        env={"PATH": "/usr/bin:/bin", "HOME": "/root"},
        stdin=subprocess.DEVNULL,
        preexec_fn=_hear_signals,
    )
    return result.stdout.rstrip("\n"), result.returncode


def _hear_signals() -> None:
    # Who starts the tests in the background has them ignored, and a shell cannot trap what it began ignoring.
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def simulated_shell(script: str, shell: str = "dash") -> tuple[str, int | None]:
    """The same in virtual time. `$$` is written as Kubernetes wants it."""
    text = f"exec 2>/dev/null\n{script}".replace("$$", "$$$$")
    world = FakeWorld()
    process = start(
        pod_spec({"command": [shell, "-c", text], "image": "debian:12", "workingDir": "/tmp"}), world
    )
    run_until(process, world)
    output = "\n".join(line for _, line in process.take_output())
    return output.rstrip("\n"), process.exit.code if process.exit else None


@pytest.mark.parametrize("script", one_in(6, SCRIPTS))
def test_script_does_what_the_real_shell_does(script: str, tmp_path: Path) -> None:
    assert simulated_shell(script) == real_shell(script, tmp_path)


@pytest.mark.parametrize("script", one_in(6, TOOL_SCRIPTS))
def test_tools_do_what_the_real_tools_do(script: str, tmp_path: Path) -> None:
    assert simulated_shell(script) == real_shell(script, tmp_path)


@pytest.mark.skipif(AWK is None, reason="there is no awk on this machine")
@pytest.mark.parametrize("script", one_in(6, AWK_SCRIPTS))
def test_awk_does_what_the_real_awk_does(script: str, tmp_path: Path) -> None:
    assert simulated_shell(script) == real_shell(script, tmp_path)


@pytest.mark.skipif(BASH is None, reason="there is no bash on this machine")
@pytest.mark.parametrize("script", one_in(6, BASH_SCRIPTS))
def test_script_for_bash_does_what_bash_does(script: str, tmp_path: Path) -> None:
    assert simulated_shell(script, "bash") == real_shell(script, tmp_path, BASH or "")


def test_the_fixed_set_is_large_enough() -> None:
    assert len(SCRIPTS) >= 150


NAMES = st.sampled_from(["a", "b", "c"])
TEXTS = st.text(alphabet="xyz.*/ '", max_size=6)
NUMBERS = st.integers(min_value=-20, max_value=20).map(str)


def single_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


WORDS = st.one_of(
    NUMBERS,
    TEXTS.map(single_quoted),
    NAMES.map(lambda name: f'"${name}"'),
    NAMES.map(lambda name: f"${name}"),
    NAMES.map(lambda name: f"${{{name}:-none}}"),
    NAMES.map(lambda name: f"${{{name}%x*}}"),
    NAMES.map(lambda name: f"${{{name}##*y}}"),
    NAMES.map(lambda name: f"${{#{name}}}"),
    st.tuples(NUMBERS, st.sampled_from("+-*"), NUMBERS).map(lambda sum_: f"$(( {' '.join(sum_)} ))"),
    NAMES.map(lambda name: f"${{{name}:+given}}"),
    NAMES.map(lambda name: f'"${{{name}-unset one}}"'),
    NAMES.map(lambda name: f"${{{name}:=fresh value}}"),
    NAMES.map(lambda name: f"$(( {name}_n += 2 ))"),
    st.sampled_from(
        ['"$@"', "$*", '"$*"', "$#", "$1", "${2-none}", "$?", "~", "a*b", "'a*'\"b\"c", "\\$a", "`echo $a`"]
    ),
    st.tuples(NUMBERS, st.sampled_from(["<", ">=", "==", "&&", "||"]), NUMBERS).map(
        lambda sum_: f"$(( {' '.join(sum_)} ))"
    ),
)
SIMPLE = st.one_of(
    st.lists(WORDS, max_size=3).map(lambda words: f"printf '[%s]' {' '.join(words)}; echo"),
    st.tuples(NAMES, WORDS).map(lambda pair: f"{pair[0]}={pair[1]}"),
    st.tuples(NAMES, st.sampled_from(["=", "!=", "-eq", "-lt"]), NUMBERS).map(
        lambda test: f'[ "${test[0]}" {test[1]} {test[2]} ]'
    ),
    st.tuples(NAMES, TEXTS).map(lambda test: f'[ -n "${test[0]}" ] || [ {single_quoted(test[1])} = "" ]'),
    st.sampled_from(["true", "false", ":", "(exit 3)", "return_code=$?", "sleep 0", "set -- p q; echo $#"]),
    NAMES.map(lambda name: f'echo "$(echo "<${name}>")"'),
    st.tuples(NAMES, WORDS).map(lambda pair: f"{pair[0]}=$(printf '%s\\n' {pair[1]} x | sort | head -n 1)"),
    st.tuples(NAMES, WORDS).map(lambda pair: f"cat <<END\n<${pair[0]}> $(echo sub) $((1+2))\nEND"),
    WORDS.map(lambda word: f"echo {word} > file; cat file; echo more >> file; wc -l < file | tr -d ' '"),
    WORDS.map(lambda word: f'set -- {word} last; echo $#; shift; echo "$@"'),
    WORDS.map(lambda word: f"eval 'echo' {word}"),
    WORDS.map(lambda word: f"echo {word} | sed 's/x/[&]/g; s/ .*//' | cut -c 1-6"),
    NAMES.map(lambda name: f"unset {name}; echo ${{{name}-gone}}"),
    NAMES.map(lambda name: f"export {name}; sh -c 'echo \"in $1 ${name}\"' zero one"),
    NAMES.map(lambda name: f"echo 'p:q r:s' | {{ IFS=: read -r {name} rest; echo \"${name}|$rest\"; }}"),
    st.sampled_from(
        [
            "(sleep 0; exit 4) & wait $!; echo waited $?",
            "{ echo err >&2; echo out; } 2>&1 | sort",
            "echo a b c | { read x y; echo $y; }",
            "printf '%s-%d|%5s|%-4s|\\n' s 7 r l",
            "test -e file && echo there || echo absent",
            "i=0; while :; do i=$((i+1)); [ $i -gt 4 ] && break; [ $i = 2 ] && continue; echo $i; done",
            "for i; do echo arg $i; done",
            "command -v nothing_like_this || echo unknown",
            "seq 3 | while read n; do echo $((n * n)); done",
            "set -u; echo ${never_set-ok}; set +u",
        ]
    ),
    NAMES.map(lambda name: f"echo one two | while read {name} rest; do echo $rest ${name}; done"),
)


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda pair: f"{pair[0]}\n{pair[1]}"),
        pairs.map(lambda pair: f"{{ {pair[0]}\n}} && {{ {pair[1]}\n}}"),
        pairs.map(lambda pair: f"{{ {pair[0]}\n}} || {{ {pair[1]}\n}}"),
        pairs.map(lambda pair: f"if {pair[0]}\nthen\n{pair[1]}\nelse\necho no $?\nfi"),
        st.tuples(NAMES, inner).map(lambda pair: f"for {pair[0]} in 1 'two words' 3; do\n{pair[1]}\ndone"),
        inner.map(lambda body: f"n=0; while [ $n -lt 2 ]; do n=$((n+1))\n{body}\ndone"),
        inner.map(lambda body: f"(\n{body}\n)\necho status $?"),
        inner.map(lambda body: f"f() {{\n{body}\n}}\nf 1 2; echo returned $?"),
        st.tuples(WORDS, inner, inner).map(
            lambda parts: (
                f"case {parts[0]} in x*) {parts[1]}\n;; [0-9]|-*) {parts[2]}\n;; *) echo other;; esac"
            )
        ),
        inner.map(lambda body: f"g() {{ local a; a=inner\n{body}\nreturn 5; }}\ng x 'y z'; echo $? $a"),
        inner.map(lambda body: f"u=0; until [ $u -ge 2 ]; do u=$((u+1))\n{body}\ndone"),
        inner.map(lambda body: f"! {{ {body}\n}}; echo turned $?"),
        inner.map(lambda body: f'v=$(\n{body}\n); echo "[$v]" $?'),
        inner.map(lambda body: f"{{ {body}\n}} > all 2>&1; wc -l < all | tr -d ' '; rm -f all"),
        inner.map(lambda body: f'while read line; do {body}\n[ "$line" ] && break; done <<IN\n\nfirst\nIN'),
        inner.map(lambda body: f"{{ {body}\n}} & wait; echo joined"),
        inner.map(lambda body: f"{{ {body}\n}} | cat"),
        inner.map(lambda body: f"set -e\n{body}\necho passed"),
        inner.map(lambda body: f"trap 'echo end $?' EXIT\n{body}"),
    )


MOST_PROGRAMS = 30 if settings.get_current_profile_name() == "ci" else 100
PROGRAMS = st.recursive(SIMPLE, compound, max_leaves=6).map(lambda body: f"{body}\necho last $? $a $b $c")


@given(PROGRAMS)
@settings(
    max_examples=MOST_PROGRAMS,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_generated_script_does_what_the_real_shell_does(tmp_path: Path, script: str) -> None:
    with TemporaryDirectory(dir=tmp_path) as folder:
        assert simulated_shell(script) == real_shell(script, Path(folder))
