"""What Debian's dash lacks of bash: there it is a missing command, a bad substitution or a syntax error.

A script for bash that is given to `sh` fails on a Debian image as it does in reality. Of other shells nothing
is refused: busybox knows much of bash, and which shell an unknown image has is only assumed.
"""

from __future__ import annotations

from ..expansion import ExpansionProblem
from ..task import Shell

DASH = "dash"
_NOT_IN_DASH = frozenset(
    "declare typeset source let shopt mapfile readarray builtin disown pushd popd [[ ((".split()
)
MISSING = 127


def lacks_command(shell: Shell, name: str) -> bool:
    """Whether a builtin of bash is no command of this shell."""
    return shell.flavour == DASH and name in _NOT_IN_DASH


def refuse_syntax(shell: Shell, sign: str) -> None:
    """Raises ExpansionProblem, which ends the shell with 2, where dash cannot read something."""
    if shell.flavour == DASH:
        raise ExpansionProblem(f'Syntax error: "{sign}" unexpected')
