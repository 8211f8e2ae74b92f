"""Names of fields as an expression can write them (apiserver, pkg/cel/escaping.go)."""

from __future__ import annotations

from lifecycle.late_patterns import late_pattern

RESERVED = frozenset(
    "true false null in as break const continue else for function if import let loop package namespace return"
    " var void while".split()
)
"""Words that no expression can use as a name."""
_WRITABLE = late_pattern(r"[A-Za-z_./-][A-Za-z0-9_./-]*")
_SIGNS = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_SIGN = late_pattern(r"__|[-./]")


def escape(name: str) -> str:
    """The name as an expression has it; "" for one that no expression can write."""
    if not _WRITABLE.fullmatch(name):
        return ""
    return f"__{name}__" if name in RESERVED else _SIGN.sub(lambda match: _SIGNS[match.group()], name)
