"""What a deletion means for the dependents of the object, and the finalizers by which an object waits."""

from __future__ import annotations

BACKGROUND, FOREGROUND, ORPHAN = "Background", "Foreground", "Orphan"
PROPAGATIONS = (BACKGROUND, FOREGROUND, ORPHAN)
"""The values of `propagationPolicy`."""
FOREGROUND_FINALIZER, ORPHAN_FINALIZER = "foregroundDeletion", "orphan"
FINALIZERS = {FOREGROUND: FOREGROUND_FINALIZER, ORPHAN: ORPHAN_FINALIZER}
"""What an object waits by, by the policy it is deleted with; in the background it does not wait."""
