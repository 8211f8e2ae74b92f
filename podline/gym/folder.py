"""An episode in a folder, for agents that have a shell and nothing else.

What is kept is what was done: each command begins the incident anew, does all that again and goes on. So the
folder tells nothing that an agent has not typed itself, and nobody can write a better state into it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from podline.gym.episode import MOST_STEPS, Gym
from podline.gym.incidents import list_incidents

FILE = "episode.json"
MOST_BYTES = 4 * 1024 * 1024
_FORMAT = 1


class Unusable(ValueError):
    """A folder that holds no episode; the text says what would be right."""


def start(name: str, folder: Path) -> Gym:
    """Begin an episode in a folder that holds none yet. Raises Unusable, ValueError, OSError."""
    gym = Gym(name)
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / FILE).exists():
        raise Unusable(f"{folder} has an episode already: give another folder")
    _write(name, folder, [])
    return gym


def take_up(folder: Path) -> tuple[Gym, list[str]]:
    """The episode of a folder as it stands, and its actions. Raises Unusable, OSError."""
    path = folder / FILE
    if not path.exists():
        raise Unusable(f"{folder} has no episode: begin one with `podline gym start NAME -o {folder}`")
    if path.stat().st_size > MOST_BYTES:
        raise Unusable(f"{path} has more than {MOST_BYTES:,} bytes: it is no episode")
    try:
        data = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError):
        raise Unusable(f"{path} is no JSON: begin another episode") from None
    if not _is_episode(data):
        raise Unusable(f"{path} is no episode of this version: begin another one")
    gym = Gym(data["incident"])
    for action in data["actions"]:
        gym.step(action, is_scored=False)
    return gym, data["actions"]


def do(folder: Path, action: str) -> str:
    """Do one thing in the episode of a folder; what is seen. Raises Unusable, ValueError, OSError."""
    gym, actions = take_up(folder)
    told = gym.step(action, is_scored=False)[0]
    _write(gym.name, folder, [*actions, action])
    return told


def _is_episode(data: object) -> bool:
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        return False
    actions = data.get("actions")
    if not isinstance(actions, list) or len(actions) > MOST_STEPS:
        return False
    return data.get("incident") in list_incidents() and all(isinstance(one, str) for one in actions)


def _write(name: str, folder: Path, actions: Sequence[str]) -> None:
    data = {"format": _FORMAT, "incident": name, "actions": [*actions]}
    (folder / FILE).write_text(f"{json.dumps(data, indent=1)}\n", "utf-8")
