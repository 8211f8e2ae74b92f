"""Texts without what differs from run to run."""

from __future__ import annotations

import re
from collections import Counter

from tests.recordings.names import Names

MASKS = [
    (re.compile(r"(<(?:rs|job)\d+>)-[a-z0-9]{5}\b"), r"\1-<pod>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<uid>"),
    (re.compile(r"\b(containerd|cri-o|docker)://[0-9a-f<>x]+"), "<id>"),
    (re.compile(r"\b(sha256:)?[0-9a-f]{64}\b"), "<id>"),
    (re.compile(r"\b\d{1,3}(\.\d{1,3}){3}\b(:\d+)?"), "<ip>"),
    (re.compile(r"\b(node|hollow)-\d+\b"), "<node>"),
    (
        re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?Z| \+0000 UTC| m=\S+)*"),
        "<time>",
    ),
    (
        re.compile(r"(?<![\w.-])(\d+h)?(\d+m)?\d+(\.\d+)?(ns|µs|us|ms|s)(?![\w-])"),
        "<time span>",
    ),
    (re.compile(r"kube-api-access-[a-z0-9]{5}\b"), "kube-api-access-<n>"),
    # In the lab of v1.34 and v1.36 accounts had another bundle beside that of the API server.
    (re.compile(r'\[(object \S+ not registered), object \S+/"openshift-[^]]*\]'), r"\1"),
    # A pod that was refused has a name that no object has.
    (re.compile(r'(pods "[a-z0-9.-]+-)[a-z0-9]{5}(" is forbidden)'), r"\1<pod>\2"),
    (re.compile(r"Image size: \d+ bytes"), "Image size: <n> bytes"),
    # Go prints the difference of two specs, Podline says what it is.
    (re.compile(r"(set to 1 if it was previously negative\)).*", re.S), r"\1 <difference>"),
    # Where scenarios ran beside each other, each had nodes of its own, chosen by a label.
    (re.compile(r'"NodeSelector":\{"lab/slot":"[a-z-]+"\}'), '"NodeSelector":null'),
    # Why a pull fails is the registry's affair, and the recorded cluster had none.
    (
        re.compile(
            r'(failed to pull and unpack image "[^"]*"): (failed to resolve .*?: no such host|ErrImagePull$)'
        ),
        r"\1: <cause>",
    ),
]

UNSCHEDULABLE = "node(s) were unschedulable"
TAINTED = "node(s) had untolerated taint(s)"
NOT_SELECTED = "node(s) didn't match Pod's node affinity/selector"
NOT_NAMED = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
TROUBLES = (
    NOT_SELECTED,
    # Of a pod that names its node, as those of DaemonSets do.
    NOT_NAMED,
    TAINTED,
    UNSCHEDULABLE,
    "Preemption is not helpful for scheduling",
)


class Masker:
    """Takes out of a text what differs from run to run.

    `node_count`: how many nodes of the cluster are the scenario's, 0 for all. `others` is the first trouble
    of each other node, as far as it is known; the caller keeps it up to date.
    """

    def __init__(self, names: Names, namespace: str, node_count: int = 0) -> None:
        self._pairs = [(namespace, "default"), *names.list_replacements()]
        self._node_count = node_count
        self.others: dict[str, str] = {}

    def __call__(self, text: str | None) -> str:
        text = text or ""
        for real, stable in self._pairs:
            text = text.replace(real, stable)
        for pattern, mask in MASKS:
            text = pattern.sub(mask, text)
        return self._take_off_nodes(text) if self._node_count and "nodes are available" in text else text

    def _take_off_nodes(self, text: str) -> str:
        """Several scenarios ran beside each other, each on nodes of its own, chosen by a selector.

        It speaks in every such message: the nodes of others are taken off again. They are counted by their
        first trouble: a cordon or a taint of another scenario comes before the selector.
        """
        count = re.search(r"0/(\d+) nodes", text)
        absent = max(0, int(count[1]) - self._node_count) if count else 0
        if not absent:
            return text
        text = re.sub(r"0/(\d+) nodes", lambda found: f"0/{int(found[1]) - absent} nodes", text)
        parts = [self._take_off_troubles(part, absent) for part in text.split(" preemption: ")]
        return re.sub(r": ?\.", ".", re.sub(r"\s+", " ", " preemption: ".join(parts)))

    def _take_off_troubles(self, part: str, absent: int) -> str:
        known = Counter(self.others.values())
        left = absent
        limits = [(UNSCHEDULABLE, known[UNSCHEDULABLE]), (TAINTED, known[TAINTED])]
        for words, most in (*limits, *((words, absent) for words in TROUBLES)):
            part, taken = _take_off(part, words, min(left, most))
            left -= taken
        # The scheduler sorts them with their numbers.
        return re.sub(
            r"(?<=are available: )\d[^.:]*(?=\.)", lambda found: ", ".join(sorted(found[0].split(", "))), part
        )


def _take_off(part: str, words: str, most: int) -> tuple[str, int]:
    """The list with up to `most` nodes fewer of that trouble, and how many these were."""
    found = re.search(rf"(\d+) {re.escape(words)}", part)
    if not found or not most:
        return part, 0
    taken = min(most, int(found[1]))
    part = part.replace(found[0], f"{int(found[1]) - taken} {words}")
    return re.sub(rf"(: )0 {re.escape(words)}(, )?|, 0 {re.escape(words)}", r"\1", part), taken
