"""Whether a command is whole, as a shell that reads its input line by line has to know."""

from __future__ import annotations

import pytest

from lifecycle.userland.shell.reading.completeness import find_missing

WHOLE = [
    "echo a\n",
    "\n",
    "# if\n",
    "echo if for while {\n",
    "echo 'a' \"b\" `c` $(d) ${e} $((1 + 2))\n",
    "if a; then b; fi\n",
    "if a\nthen b\nelse c\nfi\n",
    "for x in a b; do echo $x; done\n",
    "while read x; do echo; done < file | sort\n",
    "case x in a) b;; (c) d;; *) e;; esac\n",
    "f() { a; }\n",
    "f() {\n a\n}\n",
    "function f {\n a\n}\n",
    "{ a; b; }\n",
    "(a; b)\n",
    "cat <<END\na\nEND\n",
    "cat <<-END\n\ta\n\tEND\n",
    "cat <<A <<B\n1\nA\n2\nB\n",
    "cat <<< word\n",
    "echo $((1 << 2))\n",
    "a &&\nb\n",
    "a \\\n b\n",
    "a &\n",
    "! a\n",
    "fi\n",
    ")\n",
    "done; if\n",
]
OPEN = [
    "if a\n",
    "if a; then\n",
    "if a; then b; else\n",
    "for x in a b\n",
    "while true; do\n",
    "until a; do b; while c; do d; done\n",
    "case x in\n",
    "case x in a) b;;\n",
    "f() {\n",
    "f()\n{\n",
    "function f {\n",
    "{ a;\n",
    "(a\n",
    "echo 'a\n",
    'echo "a\n',
    "echo $(a\n",
    "echo ${a\n",
    "echo `a\n",
    "a &&\n",
    "a ||\n",
    "a |\n",
    "a \\\n",
    "cat <<A <<B\n1\nA\n2\n",
]


@pytest.mark.parametrize("text", WHOLE)
def test_a_whole_command_misses_nothing(text):
    assert find_missing(text) is None


@pytest.mark.parametrize("text", OPEN)
def test_an_open_one_misses_something(text):
    assert find_missing(text) == ""


@pytest.mark.parametrize(
    "text, delimiter",
    [
        ("cat <<END\na\n", "END"),
        ("cat <<'E F'\n", ""),
        ("cat <<'END' > file\n", "END"),
        ("cat <<END; echo b\n", "END"),
        ("if a; then cat <<-END\n", "END"),
    ],
)
def test_of_a_here_document_it_is_known_what_ends_it(text, delimiter):
    assert (find_missing(text) or "").startswith(delimiter) and find_missing(text) is not None
