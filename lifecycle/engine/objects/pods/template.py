"""The pod template of a workload: what its pods are made from, and when two of them are equal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from ..canonical_json import write_json
from ..names import SAFE_LETTERS
from ..record import Reading
from .pod import PodSpec

HASH_LABEL = "pod-template-hash"
_HASH_LENGTH = 9


class PodTemplate(Reading):
    """One reading of `spec.template`, shared by all pods made from it. `raw` is the stored JSON."""

    __slots__ = (
        "_identity", "_patch_text", "annotations", "finalizers", "labels", "node_name", "raw", "spec",
    )  # fmt: skip

    def __init__(self, raw: dict[str, Any], spec: PodSpec | None = None) -> None:
        metadata = raw.get("metadata") or {}
        self.raw = raw
        self.labels: dict[str, str] = metadata.get("labels") or {}
        self.annotations: dict[str, str] = metadata.get("annotations") or {}
        self.finalizers: tuple[str, ...] = tuple(metadata.get("finalizers") or ())
        self.spec = spec if spec is not None else PodSpec.from_json(raw.get("spec"))
        self.node_name: str = (raw.get("spec") or {}).get("nodeName") or ""
        self._identity: str | None = None
        self._patch_text: str | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None) -> PodTemplate:
        """Read a template."""
        return cls(dict(data or {}))

    @property
    def identity(self) -> str:
        """A text equal for equal templates. The hash label does not count (EqualIgnoreHash)."""
        if self._identity is None:
            self._identity = _canonical(self.raw)
        return self._identity

    @property
    def patch(self) -> dict[str, Any]:
        """The strategic merge patch that puts it in another's place, as ControllerRevisions keep it."""
        return {"spec": {"template": {"metadata": {}, **_drop_absent(self.raw), "$patch": "replace"}}}

    @property
    def patch_text(self) -> str:
        """The patch as text, worked out once."""
        if self._patch_text is None:
            self._patch_text = write_json(self.patch)
        return self._patch_text

    def with_label(self, key: str, value: str) -> PodTemplate:
        """The template with one more label; the reading of the spec is shared."""
        metadata = {**(self.raw.get("metadata") or {}), "labels": {**self.labels, key: value}}
        return PodTemplate({**self.raw, "metadata": metadata}, self.spec)

    def without_label(self, key: str) -> PodTemplate:
        """The template without a label; the reading of the spec is shared."""
        if key not in self.labels:
            return self
        labels = {name: value for name, value in self.labels.items() if name != key}
        metadata = {**(self.raw.get("metadata") or {}), "labels": labels}
        return PodTemplate({**self.raw, "metadata": metadata}, self.spec)


def is_same_template(one: PodTemplate, other: PodTemplate) -> bool:
    """Whether two templates make equal pods, the label `pod-template-hash` aside."""
    return one is other or one.identity == other.identity


def make_hash(template: PodTemplate, collision_count: int | None) -> str:
    """The value of `pod-template-hash`: equal for equal template and collision count.

    Spelled without vowels and without digits that look like letters, so that no word appears.
    """
    text = template.identity if collision_count is None else f"{template.identity}#{collision_count}"
    number = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
    letters = []
    for _ in range(_HASH_LENGTH):
        number, index = divmod(number, len(SAFE_LETTERS))
        letters.append(SAFE_LETTERS[index])
    return "".join(letters)


def _canonical(raw: Mapping[str, Any]) -> str:
    metadata = dict(raw.get("metadata") or {})
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != HASH_LABEL}
    for name, value in (("labels", labels), ("annotations", metadata.get("annotations"))):
        # An absent map equals an empty one.
        metadata[name] = value or None
    content = _drop_absent({**raw, "metadata": metadata})
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _drop_absent(value: Any) -> Any:
    """The JSON without nulls and empty lists, which equal absent fields. `{}` stays: `emptyDir: {}`."""
    if isinstance(value, dict):
        return {
            name: _drop_absent(inner) for name, inner in value.items() if inner is not None and inner != []
        }
    if isinstance(value, list):
        return [_drop_absent(inner) for inner in value]
    return value
