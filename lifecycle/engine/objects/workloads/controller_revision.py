"""ControllerRevisions: what the pods of a StatefulSet or DaemonSet were made from at some time."""

from __future__ import annotations

from typing import Any, Self

from ..canonical_json import write_json
from ..kinds import Kind
from ..meta import StoredObject
from ..pods.template import PodTemplate

CONTROLLER_REVISION_KIND = Kind("apps/v1", "ControllerRevision", "controllerrevisions")


class ControllerRevision(StoredObject):
    """`data` is a strategic merge patch that restores its owner; it stays for life, `revision` may grow."""

    __slots__ = ("_template", "_text")
    DERIVED = ("_template", "_text")
    KIND = CONTROLLER_REVISION_KIND.name
    _template: PodTemplate
    _text: str

    @property
    def revision(self) -> int:
        """Its place in the history: the highest is the latest."""
        number: int = (self.extra or {}).get("revision") or 0
        return number

    @property
    def data(self) -> Any:
        """The patch, as JSON."""
        return (self.extra or {}).get("data")

    @property
    def text(self) -> str:
        """The patch as text: equal for equal revisions. Worked out once."""
        try:
            return self._text
        except AttributeError:
            self._text = write_json(self.data)
            return self._text

    @property
    def template(self) -> PodTemplate | None:
        """The pod template that it restores, one reading for all its pods; None where it holds none."""
        try:
            return self._template
        except AttributeError:
            raw = self.data.get("spec") if isinstance(self.data, dict) else None
            raw = raw.get("template") if isinstance(raw, dict) else None
            if not isinstance(raw, dict):
                return None
            try:
                self._template = PodTemplate({name: raw[name] for name in raw if name != "$patch"})
            except (AttributeError, TypeError, ValueError):
                # Anybody may have written it.
                return None
            return self._template

    def with_revision(self, number: int) -> Self:
        """The same at another place in the history."""
        return self.replace(extra={**(self.extra or {}), "revision": number})
