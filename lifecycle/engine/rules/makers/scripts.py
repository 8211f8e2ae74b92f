"""What scripts of containers make by `kubectl create secret …` and `kubectl create configmap …`.

Read are the words of a container's command and arguments, with the variables that its environment states. A
name that hangs on anything else is not known, and nothing is taken to be made of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lifecycle.late_patterns import late_pattern

from .made import CONFIG_MAP, SECRET, TLS_TYPE, Made

Json = Mapping[str, Any]
_COMMANDS = late_pattern(r"\n|;|&&|\|\|?")
_VARIABLE = late_pattern(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")
_DOCKER_TYPE = "kubernetes.io/dockerconfigjson"
_OF_TYPE = {
    "generic": ("Opaque", ()),
    "tls": (TLS_TYPE, ("tls.crt", "tls.key")),
    "docker-registry": (_DOCKER_TYPE, (".dockerconfigjson",)),
}
_ALONE = frozenset("--append-hash --save-config --validate".split())
"""Flags that no value follows."""


def list_made_by_script(container: Json, namespace: str) -> list[Made]:
    """What the script of a container leaves behind once it has run."""
    given = {one.get("name"): one["value"] for one in container.get("env") or () if one.get("value")}
    texts = [str(word) for word in (*(container.get("command") or ()), *(container.get("args") or ()))]
    found = (_read_command(words, namespace) for words in _list_commands(texts, given))
    return [made for made in found if made is not None]


def _list_commands(texts: list[str], given: Mapping[Any, Any]) -> Iterator[list[str]]:
    """The words of each command that begins with kubectl: a script's, or the container's own."""
    if texts and texts[0].rpartition("/")[2] == "kubectl":
        yield [_fill(text, given) for text in texts[1:]]
        return
    for text in (one for one in texts if "kubectl" in one):
        for line in _COMMANDS.split(re.sub(r"\\\s*\n", " ", text)):
            words = _split(line)
            places = [place for place, word in enumerate(words) if word.rpartition("/")[2] == "kubectl"]
            if places:
                yield [_fill(word, given) for word in words[places[0] + 1 :]]


def _split(line: str) -> list[str]:
    import shlex

    try:
        return shlex.split(line)
    except ValueError:
        return []


def _fill(word: str, given: Mapping[Any, Any]) -> str:
    return _VARIABLE.sub(lambda match: str(given.get(match[1] or match[2] or match[3]) or match[0]), word)


def _read_command(words: list[str], namespace: str) -> Made | None:
    flags, operands = _part(words)
    if operands[:1] != ["create"]:
        return None
    where = next((value for name, value in flags if name in ("-n", "--namespace")), namespace)
    match operands[1:]:
        case ["secret", kind, name, *_] if kind in _OF_TYPE:
            secret_type, keys = _OF_TYPE[kind]
            made = Made("kubectl", where, name, (*keys, *_list_keys(flags)), SECRET, secret_type)
        case ["configmap" | "cm", name, *_]:
            made = Made("kubectl", where, name, tuple(_list_keys(flags)), CONFIG_MAP)
        case _:
            return None
    return made if "$" not in made.name + made.namespace else None


def _part(words: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The flags with their values, and the other words."""
    flags, operands, waiting = [], [], ""
    for word in words:
        if waiting:
            flags.append((waiting, word))
            waiting = ""
        elif word.startswith("-") and "=" in word:
            name, _, value = word.partition("=")
            flags.append((name, value))
        elif word.startswith("-") and word not in _ALONE:
            waiting = word
        else:
            operands.append(word)
    return flags, operands


def _list_keys(flags: Iterable[tuple[str, str]]) -> Iterator[str]:
    """`--from-literal=key=value`, `--from-file=key=path`, `--from-file=path`."""
    for name, value in flags:
        key, sign, _ = value.partition("=")
        if name == "--from-literal" or (name == "--from-file" and sign):
            yield key
        elif name == "--from-file":
            yield value.rstrip("/").rpartition("/")[2]
