"""Names without what differs from run to run."""

from __future__ import annotations

from collections import Counter

NUMBERED = {"ReplicaSet": "rs", "Job": "job", "EndpointSlice": "slice"}


class Names:
    """Stable names by uid. Objects that are interchangeable share a group: pods of one ReplicaSet."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, str, str | None]] = {}
        self._stable: dict[str, tuple[str, str]] = {}
        self._counts: Counter[str] = Counter()

    def add(self, uid: str, kind: str, name: str, owner_uid: str | None) -> None:
        """In order of creation."""
        self._known.setdefault(uid, (kind, name, owner_uid))

    def give(self) -> None:
        """Name all at once, so that an owner seen late is known as well."""
        for uid in self._known:
            self._name(uid)

    def _name(self, uid: str) -> tuple[str, str]:
        """(stable name, group)."""
        if uid not in self._stable:
            group = self._find_group(uid)
            number = self._count(f"{self._known[uid][0]}/{group}")
            if "<pod>" in group:
                self._stable[uid] = (group.replace("<pod>", f"<{number - 1}>"), group)
            else:
                self._stable[uid] = (group + (f"#{number}" if number > 1 else ""), group)
        return self._stable[uid]

    def _find_group(self, uid: str) -> str:
        kind, name, owner_uid = self._known[uid]
        if owner_uid not in self._known:
            return name
        owner_kind, owner_name, _ = self._known[owner_uid]
        above = self._name(owner_uid)[1]
        if not name.startswith(owner_name + "-"):
            return name
        rest = name.removeprefix(owner_name)
        if kind in NUMBERED:
            return f"{above}-<{NUMBERED[kind]}{self._count(kind + '|' + above)}>"
        if kind == "Pod" and owner_kind != "StatefulSet":
            return above + rest[: rest.rindex("-")] + "-<pod>"
        return name

    def _count(self, key: str) -> int:
        self._counts[key] += 1
        return self._counts[key]

    def __getitem__(self, uid: str) -> tuple[str, str, str] | None:
        """(kind, stable name, group)."""
        return (self._known[uid][0], *self._stable[uid]) if uid in self._stable else None

    def list_replacements(self) -> list[tuple[str, str]]:
        """(real name, group), the longest first; names that are stable by themselves stay."""
        pairs = {(name, self._stable[uid][1]) for uid, (_, name, _) in self._known.items()}
        return sorted((pair for pair in pairs if pair[0] != pair[1]), key=lambda pair: -len(pair[0]))
