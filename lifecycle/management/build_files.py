"""What an image's Dockerfile or Containerfile says of the image: who it runs as, where, what it exposes.

Read are the instructions of the last stage, or of a named one, with what stages of the same file hand down.
What is below the first `FROM` of another image is asked for in BASES. Left out: `ONBUILD`, and what is done
by commands, but for the numbers that they give to users.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

WITH_SHELL, WITHOUT_SHELL, UNKNOWN = "shell", "none", "?"
_ROOT = "0"
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))")
_NUMBERED = re.compile(r"\b(?:adduser|useradd)\b[^&;|]*?(?:-u|--uid)[ =](\d+)[^&;|]*")
_BARE = re.compile(r"(^|/)(scratch$|distroless)|/static(-|$)")
_HAND_IN = re.compile(r"busybox|/bin/(?:ba)?sh\b")
NUMBERS = {"root": _ROOT, "nobody": "65534", "nonroot": "65532"}
"""Users that base images have, by name."""


@dataclass(frozen=True, slots=True)
class Image:
    """What the configuration of an image says; `user`: a number, or a number and a name, or UNKNOWN."""

    shell: str = WITH_SHELL
    user: str = _ROOT
    folder: str = "/"
    ports: tuple[int, ...] = ()
    stop: str = ""
    volumes: tuple[str, ...] = ()
    entry: tuple[str, ...] = ()
    """UNKNOWN alone: the base says it, and what the base is is not known."""


@dataclass
class _Stage:
    image: Image
    variables: dict[str, str]
    numbers: dict[str, str] = field(default_factory=lambda: dict(NUMBERS))


def read_build_file(text: str, bases: Mapping[str, Image], stage: str = "") -> Image:
    """The image that a build file makes. `bases`: what is known of other images, by repository."""
    arguments: dict[str, str] = {}
    stages: dict[str, _Stage] = {}
    current: _Stage | None = None
    for word, rest in _list_instructions(text):
        if word == "FROM":
            current = _begin(_fill(_fill(rest, arguments), arguments), stages, bases)
        elif current is None:
            arguments |= _read_defaults(rest)
        else:
            _apply(current, word, rest, arguments, stages)
    found = stages.get(stage.lower(), current)
    assert found is not None, "a build file without FROM"
    return found.image


def _list_instructions(text: str) -> Iterator[tuple[str, str]]:
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in re.sub(r"\\\s*\n", " ", "\n".join(lines)).splitlines():
        word, _, rest = line.strip().partition(" ")
        if re.fullmatch(r"[A-Za-z]+", word):
            yield word.upper(), rest.strip()


def _begin(rest: str, stages: dict[str, _Stage], bases: Mapping[str, Image]) -> _Stage:
    words = [word for word in rest.split() if not word.startswith("--")]
    base = words[0].lower() if words else ""
    below = stages.get(base)
    if below is not None:
        made = _Stage(below.image, dict(below.variables), dict(below.numbers))
    else:
        made = _Stage(_find_base(words[0] if words else "", bases), {})
    if len(words) == 3:
        stages[words[2].lower()] = made
    return made


def _find_base(name: str, bases: Mapping[str, Image]) -> Image:
    name = re.sub(r"^(docker\.io/)?(library/)?", "", name.partition("@")[0])
    repository, _, tag = name.partition(":")
    if "$" in repository or not name:
        return Image(UNKNOWN, UNKNOWN, UNKNOWN, entry=(UNKNOWN,))
    if _BARE.search(repository):
        return Image(WITHOUT_SHELL, NUMBERS["nonroot"] if "nonroot" in tag else _ROOT)
    variants = (f"{repository}:{word}" for word in tag.split("-"))
    return next((bases[one] for one in (*variants, repository) if one in bases), Image())


def _apply(
    stage: _Stage, word: str, rest: str, arguments: Mapping[str, str], stages: Mapping[str, _Stage]
) -> None:
    variables = stage.variables
    if word == "ARG":
        given = _read_defaults(rest)
        variables |= {
            name: _fill(value or arguments.get(name, ""), variables) for name, value in given.items()
        }
    elif word == "ENV":
        variables |= {name: _fill(value, variables) for name, value in _read_settings(rest).items()}
    elif word == "RUN":
        _count_users(stage, _fill(rest, variables))
    elif word in ("COPY", "ADD"):
        stage.image = _copy(stage.image, rest, stages)
    else:
        stage.image = _configure(stage, word, _fill(rest, variables))


def _configure(stage: _Stage, word: str, rest: str) -> Image:
    image = stage.image
    match word:
        case "USER":
            return replace(image, user=_name_user(stage, rest.partition(":")[0].strip("\"'")))
        case "WORKDIR":
            return replace(image, folder=posixpath.normpath(posixpath.join(image.folder, rest.strip("\"'"))))
        case "EXPOSE":
            named = (word.partition("/") for word in rest.split())
            ports = {int(port) for port, _, kind in named if port.isdigit() and kind != "udp"}
            return replace(image, ports=tuple(sorted({*image.ports, *ports})))
        case "STOPSIGNAL":
            return replace(image, stop=rest)
        case "VOLUME":
            return replace(image, volumes=tuple(dict.fromkeys((*image.volumes, *_list_words(rest)))))
        case "ENTRYPOINT":
            return replace(image, entry=_list_words(rest) if rest.startswith("[") else ("/bin/sh", "-c"))
    return image


def _copy(image: Image, rest: str, stages: Mapping[str, _Stage]) -> Image:
    """All files of another image, or a shell, may be put into one that has none."""
    words = rest.split()
    source = next((word[7:].lower() for word in words if word.startswith("--from=")), "")
    is_whole = source in stages and words[-2:] == ["/", "/"]
    if is_whole:
        return replace(image, shell=stages[source].image.shell)
    return replace(image, shell=WITH_SHELL) if _HAND_IN.search(rest) else image


def _count_users(stage: _Stage, commands: str) -> None:
    for found in _NUMBERED.finditer(commands):
        for word in found[0].split():
            if re.fullmatch(r"[a-z_][\w-]*", word):
                stage.numbers.setdefault(word, found[1])


def _name_user(stage: _Stage, name: str) -> str:
    if name.isdigit():
        return name
    if "$" in name or not name:
        return UNKNOWN
    number = stage.numbers.get(name)
    return _ROOT if number == _ROOT else f"{number} {name}" if number else name


def _read_defaults(rest: str) -> dict[str, str]:
    pairs = (word.partition("=") for word in rest.split())
    return {name: value.strip("\"'") for name, _, value in pairs}


def _read_settings(rest: str) -> dict[str, str]:
    name, _, value = rest.partition(" ")
    if "=" not in name:
        return {name: value.strip().strip("\"'")}
    return _read_defaults(rest)


def _fill(text: str, variables: Mapping[str, str]) -> str:
    def find(match: re.Match[str]) -> str:
        return variables.get(match[1] or match[3]) or match[2] or match[0]

    return _VARIABLE.sub(find, text)


def _list_words(rest: str) -> tuple[str, ...]:
    return tuple(json.loads(rest)) if rest.startswith("[") else tuple(rest.split())
