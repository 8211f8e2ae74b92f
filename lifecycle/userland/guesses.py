"""What programs are taken to do where nobody can know it: the words that are said then, and both outcomes.

Whoever guesses takes its words from here, so that the table of the documentation misses none.
"""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass

GOES_ON, STOPS = "going on", "stopping"


@dataclass(frozen=True, slots=True)
class Guess:
    """One kind of guess: of what, what it is taken to be, what follows if it is otherwise."""

    of: str
    taken: str
    """What a run says, in the event `UninterpretedBehavior` or in its head."""
    otherwise: str
    leans: str = GOES_ON


PROGRAM = Guess(
    "a command in a script that is no known tool",
    "taken to succeed at once",
    "it fails, and what `&&` and `set -e` guard is not done",
)
ASKED_PROGRAM = Guess(
    "a command, or an option, that somebody sends into a container and that is not modelled",
    "not carried out, and fails with status {status}",
    "it does what it does",
    STOPS,
)
LAST_PROGRAM_ENDS = Guess(
    "the last command of an init container or a Job, where it is no known tool",
    "taken to end with 0 after 10 s",
    "it fails and is tried again, or never ends",
)
LAST_PROGRAM_SERVES = Guess(
    "the last command of any other container, where it is no known tool",
    "taken to run, and serve, until it is stopped",
    "it ends, and the container restarts",
)
INSTALLER = Guess(
    "a command that installs or builds something",
    "taken to succeed after {seconds} s",
    "it fails, or what it brings is not what the next command needs",
)
OPTION = Guess(
    "an option of a tool that is not modelled",
    "taken to succeed",
    "it fails, and what `&&` and `set -e` guard is not done",
)
FORM = Guess(
    "a form of a tool that cannot be followed, such as a pattern nobody can read",
    "taken to fail with status {status}",
    "it succeeds, and the script goes on",
    STOPS,
)
SYNTAX = Guess(
    "a part of a shell script that cannot be followed while it runs",
    "taken to fail with status 2",
    "it succeeds, and the script goes on",
    STOPS,
)
SOURCED_FILE = Guess(
    "a file that a script sources and that no manifest has",
    "taken to do nothing",
    "it sets variables; those that nothing sets are unknown, not unset, from here on",
)
COPIED_FILE = Guess(
    "a file of the image that is copied",
    "taken to be a program of which nothing is known",
    "it is not there, and the copy fails",
)
IMAGE_FOLDER = Guess(
    "a folder of the image that something is written to",
    "taken to be there",
    "it is not there, and writing fails",
)
PORTS = Guess(
    "where a server listens that a mounted ConfigMap or Secret may configure",
    "taken to listen on every port",
    "it listens elsewhere, and who asks there is refused",
)
ANSWER = Guess(
    "a word that is looked for in what a server tells",
    "taken to be in it",
    "the server tells something else, and the gate stays shut while it does",
)
REPLY = Guess("what a command of redis-cli is answered", "taken to answer OK", "it is answered by an error")
STATISTICS = Guess(
    "figures of the kernel that are not modelled",
    "taken to print nothing",
    "they are there, and are looked for",
)
FAILED_HOOK = Guess(
    "a hook that fails by a guess alone",
    "taken to succeed",
    "a postStart hook that fails ends its container",
)
SIGNAL = Guess(
    "a signal to a program of which nothing is known",
    "taken to go on running",
    "it ends, or reads its files anew",
)
SIGNAL_TO_HOST = Guess(
    "a signal to process 1 of the node", "taken to do nothing", "the node stops or restarts"
)
SHELL_OPTION = Guess(
    "an option of bash that is not modelled", "taken to change nothing", "patterns match other names"
)
ATTRIBUTE = Guess(
    "an attribute of a shell's variable that is not modelled",
    "taken to declare an ordinary variable",
    "its value is another one",
)
LONG_OUTPUT = Guess(
    "an output of more than 4 MiB that a script keeps", "taken to end after 4 MiB", "it is longer"
)
LONG_VALUE = Guess("a value of very many signs", "only its size is taken to grow", "its text is looked at")
BUSY_LOOP = Guess(
    "a loop that never waits",
    "taken to need 1 s for {steps} steps, later ever longer",
    "it is faster or slower",
)

GUESSES = (
    PROGRAM,
    ASKED_PROGRAM,
    LAST_PROGRAM_ENDS,
    LAST_PROGRAM_SERVES,
    INSTALLER,
    OPTION,
    FORM,
    SYNTAX,
    SOURCED_FILE,
    COPIED_FILE,
    IMAGE_FOLDER,
    PORTS,
    ANSWER,
    REPLY,
    STATISTICS,
    FAILED_HOOK,
    SIGNAL,
    SIGNAL_TO_HOST,
    SHELL_OPTION,
    ATTRIBUTE,
    LONG_OUTPUT,
    LONG_VALUE,
    BUSY_LOOP,
)
