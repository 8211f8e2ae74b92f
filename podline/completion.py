"""`podline completion SHELL`: prints what a shell reads once, so that Tab completes commands and options.

source <(podline completion bash)
podline completion zsh > ~/.zfunc/_podline
podline completion fish > ~/.config/fish/completions/podline.fish
"""

from __future__ import annotations

import sys
from argparse import Action, ArgumentParser
from collections.abc import Sequence

from lifecycle.simulation.command_line import add_options
from podline.command import COMMANDS

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


def list_options() -> list[Action]:
    """The options of `simulate`, in their order."""
    parser = ArgumentParser(add_help=False)
    add_options(parser)
    return [action for action in parser._actions if action.option_strings]


def make_bash() -> str:
    """A function that bash calls with the words so far."""
    options = [word for action in list_options() for word in action.option_strings]
    cases = "".join(map(_complete_value, list_options()))
    return f"""# bash completion of podline
_podline() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "{_join(COMMANDS)}" -- "$word"))
        return
    fi
    if [[ ${{COMP_WORDS[1]}} == completion ]]; then
        COMPREPLY=($(compgen -W "{_join(SHELLS)}" -- "$word"))
        return
    fi
    [[ ${{COMP_WORDS[1]}} == simulate ]] || {{ COMPREPLY=($(compgen -f -- "$word")); return; }}
    case $before in
{cases}    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "{_join(options)}" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _podline podline
"""


def _complete_value(action: Action) -> str:
    """The branch for what may stand behind an option; none where that may be anything."""
    if not action.choices:
        return ""
    words = f'$(compgen -W "{_join(action.choices)}" -- "$word")'
    return f"        {'|'.join(action.option_strings)}) COMPREPLY=({words}); return;;\n"


def make_zsh() -> str:
    """A function for zsh's own completion, which says what each word does."""
    commands = "\n".join(f"        {_quote(f'{name}:{one.text}')}" for name, one in COMMANDS.items())
    options = " \\\n        ".join(
        _quote(_tell_zsh(action, word)) for action in list_options() for word in action.option_strings
    )
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
    simulate)
        shift words; (( CURRENT-- ))
        _arguments \\
        {options} \\
        '*:manifests:_files'
        ;;
    completion) _values 'shell' {_join(SHELLS)} ;;
    *) _files ;;
    esac
}}
if [[ $funcstack[1] == _podline ]]; then _podline "$@"; else compdef _podline podline; fi
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
    lines.append("complete -c podline -n '__fish_seen_subcommand_from simulate export import' -F")
    lines.append(
        f"complete -c podline -n '__fish_seen_subcommand_from completion' -a {_quote(_join(SHELLS))}"
    )
    for action in list_options():
        words = [f"-s {word[1:]}" if len(word) == 2 else f"-l {word[2:]}" for word in action.option_strings]
        values = (
            f" -x -a {_quote(_join(action.choices))}"
            if action.choices
            else " -r"
            if action.nargs != 0
            else ""
        )
        where = "-n '__fish_seen_subcommand_from simulate'"
        lines.append(f"complete -c podline {where} {' '.join(words)}{values} -d {_quote(_describe(action))}")
    return "".join(f"{line}\n" for line in lines)


def _describe(action: Action) -> str:
    return " ".join((action.help or "").split())


def _join(words: object) -> str:
    return " ".join(map(str, words)) if isinstance(words, list | tuple | dict) else ""


def _quote(text: str) -> str:
    """Within single quotes, for all three shells."""
    return "'" + text.replace("\\", "\\\\").replace("'", "’") + "'"
