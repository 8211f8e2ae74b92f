"""The shape of a release, and of what was made from its sources; which of its gates the model acts on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lifecycle.lean_dataclasses import dataclass, field, replace

TypeFields = Mapping[str, Mapping[str, str]]
"""By type its fields, written as `schema/fields.py` reads them."""


@dataclass(frozen=True, slots=True)
class FieldTable:
    """`kinds`: names of types by apiVersion. `types`: their fields and those of what they are made of."""

    kinds: Mapping[str, Sequence[str]]
    types: TypeFields


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What a release's API server reads and shows."""

    fields: Sequence[FieldTable]
    named_texts: TypeFields
    """Texts that have a type of their own in Go, by struct and field."""
    structs: str
    """Structs that a rule refuses as a whole, in Go's order, written for `validation/words/go_structs`."""
    protobuf: Path
    """The file that says how the fields of each type are numbered on the wire; a surface reads it."""
    protobuf_changes: Mapping[str, str | None] = field(default_factory=dict)
    """What of that file is otherwise in this release, by type; None: there is no such type."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A feature gate as a release has it. `stage`: Alpha, Beta, GA or Deprecated."""

    default: bool
    stage: str
    is_locked: bool = False


MODELLED = frozenset(
    """
    ChangeContainerStatusOnKubeletRestart ClearingNominatedNodeNameAfterBinding ContainerRestartRules
    ContainerStopSignals DeploymentReplicaSetTerminatingReplicas EnvFiles HPAConfigurableTolerance
    HostnameOverride InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScaling
    InPlacePodVerticalScalingInitContainers JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy
    JobSuccessPolicy KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages LogarithmicScaleDown
    MaxUnavailableStatefulSet MemoryQoS MutablePodResourcesForSuspendedJobs
    MutableSchedulingDirectivesForSuspendedJobs PLEGOnDemandRelist PodDeletionCost PodLevelResources
    PodReadyToStartContainersCondition PodTopologyLabelsAdmission ReduceDefaultCrashLoopBackOffDecay
    RelaxedServiceNameValidation RestartAllContainersOnContainerExits SidecarContainers
    StrictIPCIDRValidation UserNamespacesPodSecurityStandards UserNamespacesSupport
    """.split()
)
"""Gates that the model acts on; the others stay as their release sets them."""


def read_gates(table: Mapping[str, str]) -> dict[str, Gate]:
    """From lines such as `GA on locked`."""
    words = {name: line.split() for name, line in table.items()}
    return {name: Gate(line[1] == "on", line[0], "locked" in line[2:]) for name, line in words.items()}


def read_defaults(gates: Mapping[str, Gate], **otherwise: bool) -> dict[str, bool]:
    """How a release sets its gates, and how it acts where a gate is modelled that it does not have.

    That is as if it were off, where `otherwise` does not say so.
    """
    known = {name: gate.default for name, gate in gates.items()}
    return known | {name: otherwise.get(name, False) for name in sorted(MODELLED - known.keys())}


@dataclass(frozen=True, slots=True, kw_only=True)
class Patches:
    """What patch releases do otherwise than the one that is modelled, from `since` until before `before`."""

    since: int = 0
    before: int
    gates: Mapping[str, bool] = field(default_factory=dict)
    switches: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Release:
    """One release of Kubernetes. Each is equal to itself alone."""

    name: str
    """How it is chosen: v1.35."""
    version: str
    """What its components tell of themselves: v1.35.6."""
    go_version: str
    gates: Mapping[str, Gate]
    defaults: Mapping[str, bool]
    """Every gate as the release sets it; of modelled ones that it does not have, how it acts."""
    switches: Mapping[str, bool]
    """Every switch as the release has it."""
    tables: Tables
    borrowed_minor: int = 0
    """The minor release whose API it serves in place of its own; 0 where it serves its own."""
    borrows: str = ""
    """What of it is another release's, said to whoever chooses it; "" where it is modelled as a whole."""
    is_recorded: bool = True
    """Whether what a real cluster of this release did is compared with what this one does."""
    patches: Sequence[Patches] = ()

    @property
    def minor(self) -> tuple[int, int]:
        """(1, 35)"""
        major, minor = self.version.removeprefix("v").split(".")[:2]
        return int(major), int(minor)

    @property
    def served_minor(self) -> int:
        """The minor release whose API it serves: 35."""
        return self.borrowed_minor or self.minor[1]

    @property
    def patch(self) -> int:
        """6 of v1.35.6"""
        return int(self.version.split(".")[2])

    def at_patch(self, patch: int) -> Release:
        """Another patch release of the same minor one, as far as it is known to differ."""
        version = f"{self.version.rpartition('.')[0]}.{patch}"
        other = [one for one in self.patches if one.since <= patch < one.before]
        gates = {name: on for one in other for name, on in one.gates.items()}
        switches = {name: on for one in other for name, on in one.switches.items()}
        return replace(
            self,
            name=version,
            version=version,
            gates={
                **self.gates,
                **{name: replace(self.gates[name], default=on) for name, on in gates.items()},
            },
            defaults={**self.defaults, **gates},
            switches={**self.switches, **switches},
            borrows=_tell_patch(self, {**gates, **switches}),
            is_recorded=False,
        )

    @property
    def told(self) -> str:
        """What whoever chooses it is to know of it; "" where it is modelled and recorded as a whole."""
        return f"not recorded: {self.borrows}" if not self.is_recorded else self.borrows


def _tell_patch(recorded: Release, changed: Mapping[str, bool]) -> str:
    """`as v1.35.6 but that MaxUnavailableStatefulSet is on`"""
    but = " and ".join(f"{name} is {'on' if on else 'off'}" for name, on in sorted(changed.items()))
    told = f"as {recorded.version}{f', but that {but}' if but else ''}"
    return f"{told}; {recorded.borrows}" if recorded.borrows else told
