"""What an awk program knows while it runs: record, fields, variables, arrays; all of it can be saved."""

from __future__ import annotations

from typing import Any

from .library import LONGEST, split_fields
from .nodes import AwkProblem
from .values import UNSET, Array, InputText, Value, load_value, save_value, to_number, to_text

_MOST_FIELDS = 10_000
_MOST_KEPT = 16 << 20
_DEFAULTS: dict[str, Value] = {
    "FS": " ",
    "OFS": " ",
    "ORS": "\n",
    "RS": "\n",
    "CONVFMT": "%.6g",
    "OFMT": "%.6g",
    "SUBSEP": "\x1c",
    "NR": 0.0,
    "FNR": 0.0,
    "RSTART": 0.0,
    "RLENGTH": -1.0,
    "FILENAME": "",
}


def need_short(length: int) -> None:
    """Raises AwkProblem for a value that would be too long."""
    if length > LONGEST:
        raise AwkProblem(f"a value of more than {LONGEST >> 20} MiB")


def _length(value: Value | None) -> int:
    return len(value) if isinstance(value, str) else 0


class State:
    """One program's state between two records."""

    __slots__ = ("arrays", "fields", "files", "inside", "kept", "record", "status", "variables")

    def __init__(self) -> None:
        self.variables: dict[str, Value] = dict(_DEFAULTS)
        self.arrays: dict[str, Array] = {}
        self.kept = 0
        """How much text the arrays hold at most."""
        self.record = ""
        self.fields: list[Value] = []
        self.inside: list[int] = []
        """The places of the rules that are between their first and their last record."""
        self.files: dict[str, int] = {}
        """How far each file was read, and -1 for those that were written."""
        self.status: int | None = None
        """The exit status, once `exit` was called."""

    def text(self, name: str) -> str:
        """A variable as a string."""
        return to_text(self.variables.get(name, UNSET), str(self.variables["CONVFMT"]))

    def next_record(self, record: str) -> None:
        """Counts a record and splits it."""
        self.variables["NR"] = to_number(self.variables["NR"]) + 1
        self.variables["FNR"] = to_number(self.variables["FNR"]) + 1
        self.set_record(record)

    def set_record(self, record: str) -> None:
        self.record = record
        self.fields = [InputText(piece) for piece in split_fields(record, self.text("FS"))]
        self.variables["NF"] = float(len(self.fields))

    def put_element(self, array: Array, index: str, value: Value) -> None:
        """Sets an element. Arrays are bounded in how much text they hold together."""
        before = array.get(index)
        array[index] = value
        self.kept += _length(value) - _length(before)
        if self.kept > _MOST_KEPT:
            self.kept = sum(_length(one) for each in self.arrays.values() for one in each.values())
            if self.kept > _MOST_KEPT:
                raise AwkProblem(f"arrays of more than {_MOST_KEPT >> 20} MiB")

    def get_field(self, place: int) -> Value:
        if place == 0:
            return InputText(self.record)
        if place < 0:
            raise AwkProblem(f"the field ${place}")
        return self.fields[place - 1] if place <= len(self.fields) else UNSET

    def set_field(self, place: int, value: Value) -> None:
        """Changes a field; the record is put together anew."""
        if place == 0:
            self.set_record(to_text(value, self.text("CONVFMT")))
            return
        if not 0 < place <= _MOST_FIELDS:
            raise AwkProblem(f"the field ${place}")
        self._resize(max(place, len(self.fields)))
        self.fields[place - 1] = value
        self._join()

    def set_variable(self, name: str, value: Value) -> None:
        self.variables[name] = value
        if name == "NF":
            self._resize(int(to_number(value)))
            self._join()

    def _resize(self, count: int) -> None:
        if not 0 <= count <= _MOST_FIELDS:
            raise AwkProblem(f"{count} fields")
        self.fields = [*self.fields[:count], *([""] * (count - len(self.fields)))]
        self.variables["NF"] = float(count)

    def _join(self) -> None:
        form, separator = self.text("CONVFMT"), self.text("OFS")
        texts = [to_text(one, form) for one in self.fields]
        need_short(sum(map(len, texts)) + len(separator) * len(texts))
        self.record = separator.join(texts)

    def save(self) -> dict[str, Any]:
        return {
            "variables": {name: save_value(value) for name, value in self.variables.items()},
            "arrays": {
                name: [[index, save_value(value)] for index, value in array.items()]
                for name, array in self.arrays.items()
            },
            "record": self.record,
            "fields": [save_value(value) for value in self.fields],
            "inside": list(self.inside),
            "files": dict(self.files),
            "status": self.status,
            "kept": self.kept,
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> State:
        state = cls()
        state.variables = {name: load_value(value) for name, value in data["variables"].items()}
        state.arrays = {
            name: {index: load_value(value) for index, value in entries}
            for name, entries in data["arrays"].items()
        }
        state.record = data["record"]
        state.fields = [load_value(value) for value in data["fields"]]
        state.inside, state.files, state.status = data["inside"], data["files"], data["status"]
        state.kept = data.get("kept", 0)
        return state
