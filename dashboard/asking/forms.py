"""What pages ask for, checked before anything is sent."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from dashboard.asking import uploads
from dashboard.asking.image_behaviors import AS_KNOWN, BEHAVIORS, make_profile
from dashboard.asking.presets import CHOICES, read_trouble
from lifecycle.engine.heart.timing import read_duration_ms
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.releases.known import VERSIONS, find_release
from lifecycle.input.instants import parse_instant
from lifecycle.input.reading import Batch
from lifecycle.models import DNS_LABEL
from lifecycle.runs.driving.auto import AUTO
from lifecycle.runs.driving.run_requests import read_run

MAX_REPLICAS = 10_000
MOST_IMAGES = 50
SUSPENDABLE = (JOB_KIND.id, CRON_JOB_KIND.id)
ACTIONS = ("setImage", "scale", "restart", "pause", "resume", "undo", "delete", "suspend", "unsuspend")


def list_release_choices() -> list[tuple[str, str]]:
    """The releases that a cluster may be of, the newest first: `v1.36`, shown as `v1.36.3`."""
    return list(VERSIONS.items())


def name_default_release() -> str:
    """Of which release a new cluster is where nobody chooses one."""
    return find_release(settings.KUBERNETES).name


class ClusterForm(forms.Form):
    """A new cluster: its name, what its chance grows from, and its nodes."""

    name = forms.CharField(max_length=63, validators=[DNS_LABEL])
    seed = forms.IntegerField(initial=1, min_value=0, max_value=2**63 - 1)
    nodes = forms.IntegerField(initial=3, min_value=1, max_value=1000)
    timing = forms.ChoiceField(choices=[("realistic", "realistic"), ("instant", "instant")])
    kubernetes = forms.ChoiceField(
        choices=list_release_choices, initial=name_default_release, required=False, label="Kubernetes"
    )

    def settings(self) -> dict[str, Any]:
        """The engine's settings for these answers."""
        asked = self.cleaned_data
        return {
            "kubernetes": asked["kubernetes"] or name_default_release(),
            "timing": asked["timing"],
            "nodes": {"count": asked["nodes"]},
        }


class RenameForm(forms.Form):
    """Another name for a cluster."""

    name = forms.CharField(max_length=63, validators=[DNS_LABEL])


class ManifestForm(forms.Form):
    """YAML or JSON that was pasted, or files; files win."""

    manifest = forms.CharField(required=False, strip=False)
    paths = forms.CharField(required=False, strip=False)
    named = forms.CharField(required=False, strip=False)
    seen = forms.CharField(required=False, max_length=64)
    preview = forms.BooleanField(required=False)

    def clean_paths(self) -> list[str]:
        """Where each file stood."""
        return uploads.read_paths(self.cleaned_data["paths"])

    def clean_named(self) -> list[str]:
        """Files that were left at home, because nothing in them can be a manifest."""
        return uploads.read_paths(self.cleaned_data["named"])

    @property
    def has_files(self) -> bool:
        return bool(self._files or self.cleaned_data["named"])

    @property
    def _files(self) -> list[Any]:
        return self.files.getlist("file") if self.files else []

    def batches(self) -> list[Batch]:
        """What was given. ValidationError when it is more than is read."""
        if not self.has_files:
            return [Batch({"": self.cleaned_data["manifest"]})]
        return uploads.make_batches(self._files, self.cleaned_data["paths"], self.cleaned_data["named"])


class BehaviorsForm(forms.Form):
    """How images behave that nobody knows: pairs of `image` and `behavior`."""

    def clean(self) -> dict[str, Any]:
        data: Any = self.data
        pairs = zip(data.getlist("image"), data.getlist("behavior"), strict=False)
        chosen = {image[:1024]: behavior for image, behavior in list(pairs)[:MOST_IMAGES]}
        if unknown := [behavior for behavior in chosen.values() if behavior not in BEHAVIORS]:
            raise ValidationError(f"{unknown[0][:40]} is no behaviour: choose {', '.join(BEHAVIORS)}")
        return {"chosen": chosen}

    def profiles(self) -> list[dict[str, Any]]:
        """The ContainerProfiles that say so."""
        made = (make_profile(image, behavior) for image, behavior in self.cleaned_data["chosen"].items())
        return [profile for profile in made if profile is not None]


class ControlForm(forms.Form):
    """A run control, as (kind, payload) of `inbox.control`."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in ("pause", "resume", "speed", "step", "run")])
    speed = forms.CharField(required=False, max_length=40)
    until = forms.CharField(required=False, max_length=500)

    def clean_speed(self) -> float | str | None:
        """A number, `auto`, or None where none is said."""
        text = self.cleaned_data["speed"]
        if text == AUTO:
            return AUTO
        number: float | None = forms.FloatField(required=False).clean(text)
        return number

    def control(self, now_ms: int) -> tuple[str, dict[str, Any]]:
        """`until`: a duration from now (`10m`), a clock (`00:10:00`), `idle`, or a condition of an object."""
        kind, until = self.cleaned_data["kind"], self.cleaned_data["until"]
        if kind == "speed":
            return kind, {"speed": self.cleaned_data["speed"]}
        if kind != "run":
            return kind, {}
        return kind, read_run(until, now_ms)


class ForkForm(forms.Form):
    """Another cluster that shares this one's history up to an instant; none given: as it is now.

    It goes on under the release that is chosen, or under this one's.
    """

    name = forms.CharField(max_length=63, validators=[DNS_LABEL])
    at = forms.CharField(required=False, max_length=40)
    kubernetes = forms.ChoiceField(choices=list_release_choices, required=False)

    def __init__(self, data: Any, epoch_ms: int) -> None:
        super().__init__(data)
        self.epoch_ms = epoch_ms

    def clean_at(self) -> int | None:
        """Milliseconds since the epoch."""
        text = self.cleaned_data["at"].strip().removeprefix("+").replace(" ", "")
        try:
            return parse_instant(text, self.epoch_ms) if text else None
        except ValueError as problem:
            raise ValidationError(str(problem)) from None


class ChangeForm(forms.Form):
    """One change of a workload, as (kind, payload) of a command."""

    action = forms.ChoiceField(choices=[(name, name) for name in ACTIONS])
    container = forms.CharField(required=False, max_length=63)
    image = forms.CharField(required=False, max_length=1024)
    replicas = forms.IntegerField(required=False, min_value=0, max_value=MAX_REPLICAS)
    revision = forms.IntegerField(required=False, min_value=1)
    behavior = forms.ChoiceField(
        required=False, choices=[(name, words) for name, (words, _) in BEHAVIORS.items()]
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        action = cleaned.get("action")
        if action == "setImage" and not (cleaned.get("image") or "").strip():
            raise ValidationError("Name an image, for example nginx:1.27")
        if action == "scale" and cleaned.get("replicas") is None:
            raise ValidationError(f"Say how many replicas, from 0 to {MAX_REPLICAS:,}")
        return cleaned

    def commands(self, kind: str, namespace: str, name: str) -> list[tuple[str, dict[str, Any]]]:
        """The commands for these answers: before a new image comes what is known of how it behaves."""
        change = self._command(kind, namespace, name)
        behavior = self.cleaned_data["behavior"] or AS_KNOWN
        profile = make_profile(change[1]["image"], behavior) if change[0] == "setImage" else None
        return [*([("apply", {"object": profile})] if profile else []), change]

    def _command(self, kind: str, namespace: str, name: str) -> tuple[str, dict[str, Any]]:
        target = {"kind": kind, "namespace": namespace, "name": name}
        match self.cleaned_data["action"]:
            case "setImage":
                image = {name: self.cleaned_data[name].strip() for name in ("container", "image")}
                return "setImage", target | image
            case "scale":
                return "scale", target | {"replicas": self.cleaned_data["replicas"]}
            case "delete":
                return "delete", target | {"propagationPolicy": "Background"}
            case "suspend" | "unsuspend" as action:
                return "patch", target | {
                    "type": "merge",
                    "patch": {"spec": {"suspend": action == "suspend"}},
                }
            case action:
                revision = self.cleaned_data["revision"]
                return "rollout", target | {"action": action} | ({"toRevision": revision} if revision else {})


class BoundsForm(forms.Form):
    """Other bounds of an autoscaler, or its deletion, as (kind, payload) of a command."""

    action = forms.ChoiceField(choices=[(name, name) for name in ("bounds", "delete")])
    least = forms.IntegerField(required=False, min_value=0, max_value=MAX_REPLICAS)
    most = forms.IntegerField(required=False, min_value=1, max_value=MAX_REPLICAS)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        numbers = (cleaned.get("least"), cleaned.get("most"))
        if cleaned.get("action") == "bounds" and None in numbers:
            raise ValidationError("Say the least and the most replicas, for example 1 and 10")
        return cleaned

    def command(self, kind: str, namespace: str, name: str) -> tuple[str, dict[str, Any]]:
        """The command for these answers."""
        target = {"kind": kind, "namespace": namespace, "name": name}
        if self.cleaned_data["action"] == "delete":
            return "delete", target | {"propagationPolicy": "Background"}
        spec = {"minReplicas": self.cleaned_data["least"], "maxReplicas": self.cleaned_data["most"]}
        return "patch", target | {"type": "merge", "patch": {"spec": spec}}


class NodeForm(forms.Form):
    """What can be done to a node, as (kind, payload) of a command."""

    action = forms.ChoiceField(
        choices=[(name, name) for name in ("cordon", "uncordon", "drain", "cancel", "fault")]
    )
    force = forms.BooleanField(required=False)
    local = forms.BooleanField(required=False)
    daemons = forms.BooleanField(required=False)
    grace = forms.IntegerField(required=False, min_value=0, max_value=86_400)
    timeout = forms.CharField(required=False, max_length=40)
    fault = forms.ChoiceField(required=False, choices=CHOICES)
    lasts = forms.CharField(required=False, max_length=40)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name, what in (("timeout", "the drain gives up"), ("lasts", "the trouble is over")):
            text = (cleaned.get(name) or "").strip()
            if text and read_duration_ms(text) is None:
                raise ValidationError(f"Say after what time {what}, for example 10m")
            cleaned[name] = text
        if cleaned.get("action") == "fault" and not cleaned.get("fault"):
            raise ValidationError("Say what happens to the node")
        return cleaned

    def command(self, node: str) -> tuple[str, dict[str, Any]]:
        """The command for these answers."""
        given, action = self.cleaned_data, self.cleaned_data["action"]
        payload: dict[str, Any] = {"node": node}
        if action == "cancel":
            return "drain", payload | {"cancel": True}
        if action == "fault":
            return read_trouble(given["fault"], node, given["lasts"])
        if action == "drain":
            flags = {"force": "force", "deleteEmptyDirData": "local", "ignoreDaemonSets": "daemons"}
            payload |= {name: True for name, field in flags.items() if given[field]}
            if given["grace"] is not None:
                payload["gracePeriodSeconds"] = given["grace"]
            if given["timeout"]:
                payload["timeout"] = given["timeout"]
        return action, payload


class DeletePodForm(forms.Form):
    """How a pod is deleted: its own grace period unless another is given, or by force, at once."""

    grace = forms.IntegerField(required=False, min_value=0, max_value=86_400)
    force = forms.BooleanField(required=False)

    def payload(self, namespace: str, name: str) -> dict[str, Any]:
        grace = self.cleaned_data["grace"]
        target: dict[str, Any] = {"kind": POD_KIND.id, "namespace": namespace, "name": name}
        if self.cleaned_data["force"]:
            return target | {"gracePeriodSeconds": 0, "force": True}
        return target if grace is None else target | {"gracePeriodSeconds": grace}


class EditForm(forms.Form):
    """The text of an object, how the object was when its editor was opened, and what to do with it."""

    text = forms.CharField(strip=False)
    opened = forms.CharField(strip=False)
    what = forms.ChoiceField(
        choices=[(one, one) for one in ("difference", "preview", "apply", "merge", "compare")]
    )
    seen = forms.CharField(required=False, max_length=64)
