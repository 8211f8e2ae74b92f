"""What containers are taken to do where nobody can know it, beside what programs are (`userland.guesses`)."""

from __future__ import annotations

from lifecycle.userland.guesses import GUESSES as OF_PROGRAMS
from lifecycle.userland.guesses import STOPS, Guess

CHECK = Guess(
    "a probe's command that fails by what nobody can know",
    "taken to pass",
    "the pod is never ready, or is restarted",
)
SCRIPT_WAITS = Guess(
    "a script that cannot be read to its end and looks like waiting, of an init container or a Job",
    "taken to wait",
    "it ends, and the pod goes on",
    STOPS,
)
SCRIPT_SUCCEEDS = Guess(
    "any other script of an init container or a Job that cannot be read to its end",
    "taken to succeed",
    "it fails or waits, and the pod does not start",
)
SCRIPT_RUNS = Guess(
    "a script of any other container that cannot be read to its end",
    "taken to run for ever",
    "it ends, and the container restarts",
)
IMAGE_NAME = Guess(
    "an image whose name says of what it is a copy",
    "taken to be",
    "it is another program: it may need no variable, run as another user, go on running",
)
IMAGE = Guess(
    "an image of which nothing is known, in a container that is to go on",
    "assumed to run for ever",
    "it ends or answers nothing: the container restarts, or is never ready",
)
TASK = Guess(
    "an image of which nothing is known, in an init container or a Job",
    "assumed to end with code 0",
    "it fails or never ends: the pod does not start, the Job is not Complete",
)

GUESSES = (CHECK, SCRIPT_WAITS, SCRIPT_SUCCEEDS, SCRIPT_RUNS, IMAGE_NAME, IMAGE, TASK, *OF_PROGRAMS)
