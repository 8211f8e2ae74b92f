"""What a terminal shows of what is typed, and what of it reaches the program."""

from __future__ import annotations

import pytest

from lifecycle.kube_api.containers.terminal import LONGEST_LINE, Terminal, Typed

END, INTERRUPT = Typed(is_end=True), Typed(is_interrupt=True)


@pytest.mark.parametrize(
    "keys, shown, typed",
    [
        pytest.param("ls\r", "ls\n", [Typed("ls\n")], id="return ends the line"),
        pytest.param("ls\n", "ls\n", [Typed("ls\n")], id="so does a new line"),
        pytest.param("a\r\nb\r", "a\nb\n", [Typed("a\n"), Typed("b\n")], id="both are one end"),
        pytest.param("\r\r", "\n\n", [Typed("\n"), Typed("\n")], id="empty lines"),
        pytest.param("lq\x7fs\r", "lq\b \bs\n", [Typed("ls\n")], id="backspace"),
        pytest.param("\x7f\x08x\r", "x\n", [Typed("x\n")], id="nothing to erase"),
        pytest.param("abc\x15x\r", "abc" + "\b \b" * 3 + "x\n", [Typed("x\n")], id="Ctrl-U"),
        pytest.param("ab cd \x17x\r", "ab cd " + "\b \b" * 3 + "x\n", [Typed("ab x\n")], id="Ctrl-W"),
        pytest.param("ab\x03c\r", "ab^C\nc\n", [INTERRUPT, Typed("c\n")], id="Ctrl-C drops the line"),
        pytest.param("\x04", "", [END], id="Ctrl-D"),
        pytest.param("ab\x04\x04", "ab", [Typed("ab"), END], id="Ctrl-D in a line hands it on"),
        pytest.param("a\r\x1b[A\r", "a\na\n", [Typed("a\n"), Typed("a\n")], id="arrow up"),
        pytest.param("a\rb\r\x1b[A\x1b[A\x1b[B\r", "a\nb\nb\b \ba\b \bb\n", None, id="up, up, down"),
        pytest.param("a\x1b[D\x1b[3~\x1bOHb\r", "ab\n", [Typed("ab\n")], id="other keys do nothing"),
        pytest.param("\x1b[999999999999999999999999mx\r", "x\n", None, id="an endless escape"),
        pytest.param("ü\r", "ü\n", [Typed("ü\n")], id="not only ASCII"),
    ],
)
def test_keys(keys, shown, typed):
    terminal = Terminal()
    # A letter may come in two pieces.
    found = [one for byte in keys.encode() for one in terminal.type(bytes([byte]))]
    assert terminal.take_shown() == shown
    assert typed is None or found == typed


@pytest.mark.slow
def test_a_line_has_so_many_signs():
    terminal = Terminal()
    terminal.type(b"x" * 100_000)
    [typed] = terminal.type(b"\r")
    assert len(typed.text) <= LONGEST_LINE


def test_any_bytes_are_taken():
    terminal = Terminal()
    for first in range(256):
        terminal.type(bytes([first, 0x1B, 255 - first, first]))
