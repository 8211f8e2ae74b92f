"""PyYAML, which costs little to load.

Its patterns take three quarters of the time of its import, and the parser in C, which is the one that reads
here, has no use for them.
"""

from __future__ import annotations

from lifecycle.late_patterns import patterns_compiled_late

with patterns_compiled_late():
    import yaml

__all__ = ["yaml"]
