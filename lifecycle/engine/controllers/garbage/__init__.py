"""The garbage collector: dependents follow their owners.

Background: the owner is gone, its dependents are deleted. Foreground: the owner waits, with a finalizer,
until the dependents that block it are gone. Orphan: the owner waits until its dependents have let go.
"""

from .observe import GarbageCollector

__all__ = ["GarbageCollector"]
