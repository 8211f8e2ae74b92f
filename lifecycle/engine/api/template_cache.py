"""A cache of templates: objects that a controller creates from one template are defaulted and validated once.

The Jobs of a CronJob, for example, differ only in names, uids and the values of annotations. Their spec is
the same JSON object, so what was found out of the first of them holds for all.
"""

from __future__ import annotations

from typing import Any

from ..objects.meta import StoredObject

Json = dict[str, Any]
MOST_OWNERS, MOST_OF_ONE = 1000, 8
_OF_EACH = ("name", "annotations")


class CachedTemplate:
    """One template. `made`: the object that was created from it last, or None."""

    __slots__ = ("_completed", "_sent", "made")

    def __init__(self) -> None:
        self._sent: Json = {}
        self._completed: Json = {}
        self.made: StoredObject | None = None

    def take(self, sent: Json, completed: Json) -> None:
        """Remember the first object: as it was sent, and with its defaults."""
        self._sent, self._completed, self.made = sent, completed, None

    def is_of(self, spec: Json) -> bool:
        """Whether this is the cache of that very template (by identity)."""
        return self._sent.get("spec") is spec

    def fits(self, data: Json) -> bool:
        """Whether an object differs from the first one in nothing that validation depends on."""
        if self.made is None or not self.is_of(data["spec"]) or data["kind"] != self._sent["kind"]:
            return False
        meta, known = data["metadata"], self._sent["metadata"]
        return (
            len(meta["name"]) == len(known["name"])
            and meta.keys() == known.keys()
            and (meta.get("annotations") or {}).keys() == (known.get("annotations") or {}).keys()
            and all(meta[field] == known[field] for field in meta if field not in _OF_EACH)
        )

    def of_companion(self, data: Json) -> CachedTemplate | None:
        """The cache for what comes with the object; None: there is none."""
        return None

    def fill(self, data: Json) -> Json:
        """The object with the defaults of the template."""
        own = {field: data["metadata"][field] for field in _OF_EACH if field in data["metadata"]}
        return {**self._completed, "metadata": {**self._completed["metadata"], **own}}


class TemplateCache:
    """The last templates of each owner, by its uid."""

    __slots__ = ("_templates",)

    def __init__(self) -> None:
        self._templates: dict[str, list[CachedTemplate]] = {}

    def of(self, owner: StoredObject, data: Json) -> CachedTemplate:
        """The cached template for an object that is about to be sent."""
        templates = self._templates.get(owner.meta.uid)
        if templates is None:
            if len(self._templates) >= MOST_OWNERS:
                self._templates.clear()
            templates = self._templates[owner.meta.uid] = []
        for cached in templates:
            if cached.is_of(data["spec"]):
                return cached
        if len(templates) >= MOST_OF_ONE:
            templates.clear()
        templates.append(CachedTemplate())
        return templates[-1]
