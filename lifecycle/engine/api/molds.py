"""What a component makes again and again of one template of its owner is looked at once.

The Jobs of a CronJob and the claims of a StatefulSet differ in names, uids and what their annotations say.
Their spec is the very same JSON: read field by field, defaulted and found valid with the first of them.
"""

from __future__ import annotations

from typing import Any

from ..objects.meta import StoredObject

Json = dict[str, Any]
MOST_OWNERS, MOST_OF_ONE = 1000, 8
_OF_EACH = ("name", "annotations")


class Mold:
    """One template. `made`: the object that was made of it last, as it was created."""

    __slots__ = ("_completed", "_sent", "made")

    def __init__(self) -> None:
        self._sent: Json = {}
        self._completed: Json = {}
        self.made: StoredObject | None = None

    def take(self, sent: Json, completed: Json) -> None:
        """Remember what an object was sent as, and what its defaults made of it."""
        self._sent, self._completed, self.made = sent, completed, None

    def is_of(self, spec: Json) -> bool:
        """Whether it is the mold of this very template."""
        return self._sent.get("spec") is spec

    def fits(self, data: Json) -> bool:
        """Whether an object differs from the first one in nothing that could be found wrong."""
        if self.made is None or not self.is_of(data["spec"]) or data["kind"] != self._sent["kind"]:
            return False
        meta, known = data["metadata"], self._sent["metadata"]
        return (
            len(meta["name"]) == len(known["name"])
            and meta.keys() == known.keys()
            and (meta.get("annotations") or {}).keys() == (known.get("annotations") or {}).keys()
            and all(meta[field] == known[field] for field in meta if field not in _OF_EACH)
        )

    def fill(self, data: Json) -> Json:
        """The object with its defaults."""
        own = {field: data["metadata"][field] for field in _OF_EACH if field in data["metadata"]}
        return {**self._completed, "metadata": {**self._completed["metadata"], **own}}


class Molds:
    """The templates that objects were last made of, by their owner's uid."""

    __slots__ = ("_molds",)

    def __init__(self) -> None:
        self._molds: dict[str, list[Mold]] = {}

    def of(self, owner: StoredObject, data: Json) -> Mold:
        """The mold for an object, as it is to be sent."""
        molds = self._molds.get(owner.meta.uid)
        if molds is None:
            if len(self._molds) >= MOST_OWNERS:
                self._molds.clear()
            molds = self._molds[owner.meta.uid] = []
        for mold in molds:
            if mold.is_of(data["spec"]):
                return mold
        if len(molds) >= MOST_OF_ONE:
            molds.clear()
        molds.append(Mold())
        return molds[-1]
