"""Volumes: free, bound, released when their claim goes, and then kept or given back."""

from __future__ import annotations

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

from ....objects.meta import StoredObject
from ....objects.storage import AVAILABLE, BOUND, BOUND_BY_CONTROLLER, FAILED, PROVISIONED_BY, RELEASED
from ....rules.actions import Action, Delete, RecordEvent, Update
from ....rules.volumes.claims import claim_ref, mode_of, phase_of, spec_of, volume_name
from .step import SOURCE, Step, set_phase

_TEMPORARY = late_pattern(r"/tmp/.+")
_RECYCLED = ("hostPath", "nfs")


@dataclass(frozen=True, slots=True)
class SeenVolume:
    """A volume, and the claim that it is bound to: None when that has gone, or is another of its name."""

    volume: StoredObject
    claim: StoredObject | None
    now: str


def decide_volume(seen: SeenVolume) -> Step:
    """The next write for a volume."""
    volume, claim = seen.volume, seen.claim
    if not claim_ref(volume).get("uid"):
        return Step(set_phase(volume, AVAILABLE, seen.now))
    if claim is None:
        return _release(seen)
    named = volume_name(claim)
    if not named:
        return _decide_promised(volume, claim)
    if named == volume.meta.name:
        return Step(set_phase(volume, BOUND, seen.now))
    is_made = PROVISIONED_BY in volume.meta.annotations
    if is_made and spec_of(volume).get("persistentVolumeReclaimPolicy") == "Delete":
        # The claim has found another one while this was made.
        return _release(seen)
    return _free(volume)


def _decide_promised(volume: StoredObject, claim: StoredObject) -> Step:
    """It knows its claim, which does not know of it yet."""
    if mode_of(volume) == mode_of(claim):
        return Step(wakes=True)
    one, other = (
        f'PersistentVolume to requested PersistentVolumeClaim "{claim.meta.name}"',
        f'PersistentVolume "{volume.meta.name}" to requested PersistentVolumeClaim',
    )
    return Step(
        [
            RecordEvent(
                about,
                "Warning",
                "VolumeMismatch",
                f"Cannot bind {text} due to incompatible volumeMode.",
                SOURCE,
            )
            for about, text in ((volume, one), (claim, other))
        ]
    )


def _free(volume: StoredObject) -> Step:
    """Take its claim off it; who made it for that claim keeps the name."""
    spec, annotations = dict(spec_of(volume)), dict(volume.meta.annotations)
    if annotations.pop(BOUND_BY_CONTROLLER, None) is not None:
        del spec["claimRef"]
    else:
        spec["claimRef"] = {name: value for name, value in spec["claimRef"].items() if name != "uid"}
    freed = volume.replace(meta=volume.meta.replace(annotations=annotations), spec=spec)
    return Step([Update(freed)], goes_on=True)


def _release(seen: SeenVolume) -> Step:
    volume = seen.volume
    if phase_of(volume) not in (RELEASED, FAILED):
        return Step(set_phase(volume, RELEASED, seen.now), goes_on=True)
    match spec_of(volume).get("persistentVolumeReclaimPolicy"):
        case "Delete":
            return _delete(seen)
        case "Recycle":
            return _recycle(seen)
    return Step()


def _delete(seen: SeenVolume) -> Step:
    """Volumes of drivers are deleted by these; of the others only folders for what is temporary can be."""
    volume, spec = seen.volume, spec_of(seen.volume)
    maker = volume.meta.annotations.get(PROVISIONED_BY, "")
    if spec.get("csi") or (maker and not maker.startswith("kubernetes.io/")):
        return Step()
    path = (spec.get("hostPath") or {}).get("path")
    if path is None:
        text = f'error getting deleter volume plugin for volume "{volume.meta.name}"'
        return _fail(seen, "VolumeFailedDelete", f"{text}: no deletable volume plugin matched")
    if not _TEMPORARY.match(path):
        text = f"host_path deleter only supports /tmp/.+ but received provided {path}"
        return _fail(seen, "VolumeFailedDelete", text)
    return Step([Delete(volume)] if volume.meta.deletion_ms is None else [])


def _recycle(seen: SeenVolume) -> Step:
    volume = seen.volume
    if not any(spec_of(volume).get(source) for source in _RECYCLED):
        return _fail(seen, "VolumeFailedRecycle", "No recycler plugin found for the volume!")
    told = RecordEvent(volume, "Normal", "VolumeRecycled", "Volume recycled", SOURCE)
    return Step([told, *_free(volume).actions], goes_on=True)


def _fail(seen: SeenVolume, reason: str, text: str) -> Step:
    if phase_of(seen.volume) == FAILED:
        return Step()
    actions: list[Action] = set_phase(seen.volume, FAILED, seen.now, text)
    return Step([*actions, RecordEvent(seen.volume, "Warning", reason, text, SOURCE)])
