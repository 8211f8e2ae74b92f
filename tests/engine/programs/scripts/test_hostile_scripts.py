"""The worst that scripts are known to do, for as long as they are let: nobody else waits for any of them."""

from __future__ import annotations

import json

import pytest

from tests.engine.programs.worlds import FakeWorld, start_script

pytestmark = pytest.mark.deep

LONG = "x=aaaaaaaaaaaaaaaa; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do x=$x$x; done; "
BACKTRACK = "x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; "
SCRIPTS = {
    "fork bomb": ":() { : | : & }; :",
    "yes": "yes > /dev/null",
    "yes|cat": "yes | cat | cat > /tmp/f",
    "seq 1e9": "while :; do seq 1 1000000000 | tail -1; done",
    "doubling": "x=a; while :; do x=$x$x; done",
    "brace 1e9": "while :; do echo {1..99999}{1..99999}; done",
    "redos grep": BACKTRACK + "while :; do echo $x | grep -E '^(a+)+$'; done",
    "redos sed": BACKTRACK + "while :; do echo $x | sed -E 's/^(a|a)*c$//'; done",
    "redos bash": "x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; while :; do [[ $x =~ ^(a+)+$ ]]; done",
    "9**9**9": "while :; do x=$((9**9**9)); done",
    "python 9**9": "python3 -c 'x=9\nwhile True: x=x*x'",
    "python loop": "python3 -c 'while True: pass'",
    "mkdir deeper": "x=/t; while :; do x=$x/a; mkdir -p $x; done",
    "mkdir cd": "while :; do mkdir -p a/b/c/d/e/f/g/h; cd a; done",
    "replace": "x=$(seq 1 20000); while :; do x=${x//1/11}; done",
    "sed": "seq 1 50000 > /tmp/f; while :; do sed 's/1/22/g' /tmp/f > /tmp/g; done",
    "grep": "seq 1 100000 > /tmp/f; while :; do grep -E '(1|2)+(3|4)*5' /tmp/f > /tmp/g; done",
    "sort": "seq 1 200000 > /tmp/f; while :; do sort /tmp/f >/dev/null; done",
    "sort -u pipe": "while :; do seq 1 100000 | sort -u | uniq -c | wc -l; done",
    "tr": "seq 1 50000 > /tmp/f; while :; do tr 1 2 < /tmp/f > /tmp/g; done",
    "awk gsub": LONG + "while :; do echo $x | awk '{gsub(/a/,\"bb\"); print length($0)}'; done",
    "awk sum": "seq 1 30000 > /tmp/f; while :; do awk '{s+=$1; t=t $1} END{print s}' /tmp/f; done",
    "awk endless": "awk 'BEGIN{while(1) i++}'",
    "base64": "seq 1 200000 > /tmp/f; while :; do base64 /tmp/f > /tmp/g; done",
    "xargs": "while :; do seq 1 20000 | xargs -n1 echo >/dev/null; done",
    "find": "mkdir -p /tmp/a/{1..40}/{1..40}; while :; do find /tmp/a -name 'x*'; done",
    "cut": "seq 1 100000 > /tmp/f; while :; do cut -c1-2 /tmp/f >/tmp/g; done",
    "wc": "seq 1 300000 > /tmp/f; while :; do wc /tmp/f; done",
    "printf": "while :; do printf '%s\\n' $(seq 1 20000) > /tmp/f; done",
    "printf wide": "while :; do printf '%1000000d' 1 > /tmp/f; done",
    "read loop": "seq 1 100000 > /tmp/f; while :; do while read l; do x=$l; done < /tmp/f; done",
    "glob": "cd /tmp; touch a{1..3000}; while :; do echo a* >/dev/null; done",
    "case": "x=$(seq 1 3000|tr '\\n' a); while :; do case $x in *a*a*a*a*b*) :;; esac; done",
    "recursion": "f() { f; f; }; f",
    "eval": 'x=\'eval "$x"\'; eval "$x"',
    "eval doubling": 'x=":"; while :; do x="$x;$x"; eval "$x"; done',
    "sh doubling": 'x=":"; while :; do x="$x;$x"; sh -c "$x"; done',
    "trap doubling": 'x=":"; while :; do x="$x;$x"; (trap "$x" EXIT); done',
    "source doubling": 'x=":"; while :; do x="$x;$x"; echo "$x" > /tmp/f; . /tmp/f; done',
    "cp tree": "mkdir -p /tmp/a/{1..30}/{1..30}; n=0; while :; do n=$((n+1)); cp -r /tmp/a /tmp/b$n; done",
    "head -c": "while :; do head -c 4000000 /dev/zero | md5sum; done",
    "background": "while :; do sleep 1 & done",
    "log flood": "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done",
}
MINUTE_MS = 60_000
# What all containers together may do at one instant, and the last instruction, which is not cut in two.
MOST_STEPS = 200_000 + 60_000
MOST_BYTES = 20 * 2**20


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_no_instant_is_without_end_and_nothing_grows_without_end(script: str) -> None:
    world = FakeWorld()
    process = start_script(script, world, shell="bash")
    instants, most = 0, world.crowd.steps
    while (due_ms := process.next_wake_ms()) is not None and due_ms <= MINUTE_MS:
        process.run(due_ms, world)
        most, instants = max(most, world.crowd.steps), instants + 1
        process.take_output()
    assert most <= MOST_STEPS
    assert instants <= MINUTE_MS
    assert len(json.dumps(process.save())) < MOST_BYTES


def test_there_are_as_many_as_were_tried() -> None:
    assert len(SCRIPTS) == 43
