"""Incidents for agents: a cluster in which something is wrong, kubectl's words, and a grader.

    from podline.gym import Gym

    gym = Gym("web-unreachable")
    observation, info = gym.reset()
    observation, reward, terminated, truncated, info = gym.step("get endpoints web -n shop")
    print(gym.score())

The words are those of Gymnasium; the package is not needed. Everything is deterministic, and takes a second.
"""

from __future__ import annotations

from podline.gym.episode import Gym
from podline.gym.grading import Score
from podline.gym.incidents import list_incidents

__all__ = ["Gym", "Score", "list_incidents"]
