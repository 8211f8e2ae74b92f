"""`podline completion SHELL`: prints what a shell reads once, so that Tab completes commands and options.

source <(podline completion bash)
podline completion zsh > ~/.zfunc/_podline
podline completion fish > ~/.config/fish/completions/podline.fish
"""

from __future__ import annotations

import sys
from argparse import Action, ArgumentParser
from collections.abc import Sequence

from lifecycle.check.command_line import add_options as add_options_of_check
from lifecycle.simulation.command_line import add_options
from podline.calibrate import add_options as add_options_of_calibrate
from podline.command import COMMANDS

OPTIONS = {"simulate": add_options, "check": add_options_of_check, "calibrate": add_options_of_calibrate}
"""The commands whose options are completed, with what adds them to a parser."""
SHELLS = ("bash", "zsh", "fish")
Words = dict[str, list[str]]
"""The options of each command, and the values of those that have a choice, as `simulate --output`."""


def main(arguments: Sequence[str], program: str) -> int:
    """Print the completion of one shell."""
    parser = ArgumentParser(program, description="Print the completion of a shell.")
    parser.add_argument("shell", choices=SHELLS)
    make = {"bash": make_bash, "zsh": make_zsh, "fish": make_fish}[parser.parse_args(arguments).shell]
    sys.stdout.write(make())
    return 0


def list_options(command: str) -> list[Action]:
    """The options of a command, in their order."""
    parser = ArgumentParser(add_help=False)
    OPTIONS[command](parser)
    return [action for action in parser._actions if action.option_strings]


def make_bash() -> str:
    """A function that bash calls with the words so far."""
    cases = "".join(map(_complete_command, OPTIONS))
    return f"""# bash completion of podline
_podline() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "{_join(COMMANDS)}" -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
    completion) COMPREPLY=($(compgen -W "{_join(SHELLS)}" -- "$word")); return;;
{cases}    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _podline podline
"""


def _complete_command(command: str) -> str:
    """The branch of one command: the values of its options, and which options there are."""
    actions = list_options(command)
    words = [word for action in actions for word in action.option_strings]
    values = "".join(map(_complete_value, actions))
    return f"""    {command})
        options="{_join(words)}"
        case $before in
{values}        esac;;
"""


def _complete_value(action: Action) -> str:
    """The branch for what may stand behind an option; none where that may be anything."""
    if not action.choices:
        return ""
    words = f'$(compgen -W "{_join(action.choices)}" -- "$word")'
    return f"            {'|'.join(action.option_strings)}) COMPREPLY=({words}); return;;\n"


def make_zsh() -> str:
    """A function for zsh's own completion, which says what each word does."""
    commands = "\n".join(f"        {_quote(f'{name}:{one.text}')}" for name, one in COMMANDS.items())
    cases = "".join(map(_tell_command, OPTIONS))
    return f"""#compdef podline
_podline() {{
    local -a commands
    commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe 'command' commands
        return
    fi
    case $words[2] in
{cases}    completion) _values 'shell' {_join(SHELLS)} ;;
    *) _files ;;
    esac
}}
if [[ $funcstack[1] == _podline ]]; then _podline "$@"; else compdef _podline podline; fi
"""


def _tell_command(command: str) -> str:
    """The branch of one command for zsh."""
    options = " \\\n        ".join(
        _quote(_tell_zsh(action, word)) for action in list_options(command) for word in action.option_strings
    )
    return f"""    {command})
        shift words; (( CURRENT-- ))
        _arguments \\
        {options} \\
        '*:manifests:_files'
        ;;
"""


def _tell_zsh(action: Action, word: str) -> str:
    text = _describe(action).replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    head = f"*{word}[{text}]"
    if action.choices:
        return f"{head}:value:({_join(action.choices)})"
    return head if action.nargs == 0 else f"{head}:value:_files"


def make_fish() -> str:
    """A line for each command and each option."""
    lines = ["# fish completion of podline", "complete -c podline -f"]
    lines += [
        f"complete -c podline -n __fish_use_subcommand -a {name} -d {_quote(one.text)}"
        for name, one in COMMANDS.items()
    ]
    lines.append("complete -c podline -n '__fish_seen_subcommand_from simulate calibrate export import' -F")
    lines.append(
        f"complete -c podline -n '__fish_seen_subcommand_from completion' -a {_quote(_join(SHELLS))}"
    )
    lines += [_tell_fish(command, action) for command in OPTIONS for action in list_options(command)]
    return "".join(f"{line}\n" for line in lines)


def _tell_fish(command: str, action: Action) -> str:
    words = [f"-s {word[1:]}" if len(word) == 2 else f"-l {word[2:]}" for word in action.option_strings]
    values = "" if action.nargs == 0 else " -r"
    if action.choices:
        values = f" -x -a {_quote(_join(action.choices))}"
    where = f"-n '__fish_seen_subcommand_from {command}'"
    return f"complete -c podline {where} {' '.join(words)}{values} -d {_quote(_describe(action))}"


def _describe(action: Action) -> str:
    return " ".join((action.help or "").split())


def _join(words: object) -> str:
    return " ".join(map(str, words)) if isinstance(words, list | tuple | dict) else ""


def _quote(text: str) -> str:
    """Within single quotes, for all three shells."""
    return "'" + text.replace("\\", "\\\\").replace("'", "’") + "'"
