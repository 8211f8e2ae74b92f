"""The tables of Kubernetes v1.35."""

from __future__ import annotations

from pathlib import Path

from ...release import FieldTable, Tables
from . import fields, kubelet, others
from .go_structs import STRUCTS
from .named_texts import NAMED_TEXTS

TABLES = Tables(
    fields=tuple(FieldTable(one.KINDS, one.TYPES) for one in (fields, others, kubelet)),
    named_texts=NAMED_TEXTS,
    structs=STRUCTS,
    protobuf=Path(__file__).with_name("protobuf.json"),
)
