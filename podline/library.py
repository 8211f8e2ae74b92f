"""The library: a cluster in virtual time for programs, tests and notebooks.

    from podline import simulate

    run = simulate("manifests/", until="deployment/web Available")
    assert run.ok, run.problems
    run.cluster.figure()

Everything happens in this process, as fast as it goes, without a server or a database. The same input gives
the same history, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lifecycle.agents.memory import Memory
from lifecycle.engine.public import POD_KIND, Command, Result, find_kind, find_release
from lifecycle.engine.public import Cluster as Engine
from lifecycle.input.expressions import Expression, Verdict, parse
from lifecycle.input.manifest_admission import list_problems
from lifecycle.input.problems import ManifestError
from lifecycle.input.reading import Batch, Reading, read_batches
from lifecycle.input.scenario import DEFAULT_EPOCH, Until, read_epoch_ms, read_until
from lifecycle.simulation import Overrides, Plan, make_plan, run
from lifecycle.simulation.plan import list_new_namespaces, make_namespace, open_input
from lifecycle.simulation.run import LIMIT_MS, Outcome
from podline.pictures import describe_html, make_figure, make_frame
from podline.refusals import InputRefused

Manifest = str | Path | Mapping[str, Any]
"""A path of a file or folder, an object, or a text of manifests, which has a line break or begins with {."""


class ExpectationFailed(AssertionError):
    """What was expected of a cluster does not hold; the text says what was seen instead, and why."""


class Cluster:
    """A cluster in virtual time: apply manifests, let time pass, look at what came of it."""

    def __init__(
        self,
        *,
        nodes: int | None = None,
        seed: int = 1,
        epoch: str = DEFAULT_EPOCH,
        timing: str = "realistic",
        kubernetes: str | None = None,
        namespace: str = "default",
    ) -> None:
        """`nodes`: how many of 4 CPU and 8 GiB (default 3). `namespace`: where objects without one go."""
        plan = _plan([], nodes=nodes, seed=seed, epoch=epoch, timing=timing, kubernetes=kubernetes)
        self._begin(Engine(plan.seed, plan.epoch_ms, plan.settings), Memory(), namespace)

    def _begin(self, engine: Engine, memory: Memory, namespace: str) -> None:
        self._engine = engine
        self._memory = memory
        self._commands = 0
        self.namespace = namespace
        self._take()

    @classmethod
    def _of(cls, engine: Engine, memory: Memory, namespace: str) -> Cluster:
        cluster = cls.__new__(cls)
        cluster._begin(engine, memory, namespace)
        return cluster

    # --- what is done to it -----------------------------------------------------------------------------

    def apply(self, *inputs: Manifest) -> list[dict[str, Any]]:
        """Apply manifests now, as `kubectl apply` does; the objects as the cluster has them then.

        Raises InputRefused, and nothing is applied, when one of them is not sound.
        """
        try:
            documents = _read(inputs, self.namespace, self._engine.settings.release.name).require_sound()
            gates = self._engine.settings.feature_gates
            problems = [problem for one in documents for problem in list_problems(one, gates)]
            if problems:
                raise ManifestError(problems)
        except ManifestError as error:
            raise InputRefused([str(problem) for problem in error.problems]) from None
        named = [name for name in list_new_namespaces(documents) if not self.get("Namespace", name)]
        for name in named:
            self._submit("apply", {"object": make_namespace(name)}, f"Namespace {name}")
        return [self._submit("apply", {"object": one.data}, one.subject) for one in documents]

    def patch(self, reference: str, patch: Mapping[str, Any]) -> dict[str, Any]:
        """Change an object by a merge patch: `cluster.patch("deployment/web", {"spec": {"replicas": 5}})`."""
        return self._submit(
            "patch", {**self._name(reference), "type": "merge", "patch": dict(patch)}, reference
        )

    def delete(self, reference: str) -> None:
        """Delete an object: `cluster.delete("pod/web-0")`."""
        self._submit("delete", self._name(reference), reference)

    def kubectl(self, command: str, given: str = "") -> str:
        """What kubectl would print: `cluster.kubectl("scale deployment/web --replicas=5")`.

        `given`: what `-f -` reads. `rollout status` and `wait` let time pass. Raises InputRefused.
        """
        from podline.kubectl import run

        return run(self, command, given)

    def fork(self) -> Cluster:
        """Another cluster that goes on from here by itself: the same past, and untouched the same future."""
        other = Cluster._of(Engine.load(self._engine.save()), self._memory.copy(), self.namespace)
        other._commands = self._commands
        return other

    def run_until(self, *when: str | int, limit: str | int = LIMIT_MS) -> bool:
        """Let time pass until all of `when` hold together; whether they do.

        Each is `idle`, an instant since the cluster began (`10m`, or ms as a number), or an expression such
        as "deployment/web Available". Time stands at the latest when `limit` more has passed (default 24 h).
        """
        untils = [self._read_until(one) for one in when or ("idle",)]
        end_ms = self.now_ms + read_ms(limit)
        instants = [until.at_ms for until in untils if until.at_ms is not None]
        if instants and len(instants) == len(untils):
            end_ms = min(end_ms, max(instants))

        def is_over(engine: Engine) -> bool:
            self._take()
            return all(self._holds(until) for until in untils)

        for border_ms in sorted({min(at_ms, end_ms) for at_ms in (*instants, end_ms)}):
            if is_over(self._engine) or self._engine.run_until(border_ms, stop=is_over) < border_ms:
                break
        return is_over(self._engine)

    def run_for(self, duration: str | int) -> None:
        """Let so much time pass: `90s`, or ms as a number."""
        self.run_until(self.now_ms + read_ms(duration))

    def expect(self, expression: str, within: str | int = 0) -> None:
        """Raise ExpectationFailed unless the expression holds, now or `within` so much time from now.

        "deployment/web .status.readyReplicas == 3", "pod/web-0 condition Ready == True", "pod/web-0 gone",
        "service/web .requests.lostMs == 0".
        """
        if self.run_until(expression, limit=within):
            return
        look = self._parse(expression)
        reason = self._find_why(look.kind, look.namespace or "", look.name)
        when = f" by {self.now_ms / 1000:g}s" if within else ""
        because = f"\n{reason}" if reason else ""
        raise ExpectationFailed(f"{expression}: not so{when}; seen: {self._look(look).seen}{because}")

    # --- what is seen of it -----------------------------------------------------------------------------

    @property
    def now_ms(self) -> int:
        """Virtual milliseconds since the cluster began."""
        return self._engine.now_ms

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All transitions and events so far, in order, as `podline simulate` writes them."""
        self._take()
        return self._memory.rows

    def get(self, kind: str, name: str, namespace: str | None = None) -> dict[str, Any] | None:
        """An object as the API would show it; None when there is none."""
        found = _find_kind(kind)
        return self._engine.get(found.id, (namespace or self.namespace) if found.namespaced else None, name)

    def list(self, kind: str, namespace: str | None = None) -> list[dict[str, Any]]:
        """All objects of a kind in the order of their creation; of every namespace, unless one is named."""
        return self._engine.list(_find_kind(kind).id, namespace)

    def why(self, reference: str) -> str:
        """How a workload or a lone pod is, and why: `cluster.why("deployment/web")`."""
        look = self._parse(f"{reference} exists")
        if not self._look(look).exists:
            raise LookupError(f"there is no {reference} in the namespace {look.namespace}")
        return self._find_why(look.kind, look.namespace or "", look.name) or "Nothing is told of this kind."

    def describe(self) -> str:
        """How it stands in a line, then a line for each workload and lone pod: what is said of it."""
        self._take()
        told = self._memory.verdicts.tell(self._engine)
        lines = [f"{one.kind} {one.namespace}/{one.name}: {one.verdict}" for one in told]
        return "\n".join([repr(self), *lines])

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame, one a transition or event."""
        return make_frame(self.rows)

    def figure(self) -> Any:
        """The timeline of all pods, as a Plotly figure."""
        return make_figure(self.rows, self.now_ms)

    def __repr__(self) -> str:
        pods = len(self._engine.list(POD_KIND.id))
        return f"<podline.Cluster at {self.now_ms / 1000:g}s: {pods} pods, {len(self.rows)} rows>"

    def _repr_html_(self) -> str:
        return describe_html(repr(self), self._memory.verdicts.tell(self._engine))

    # --- inside -----------------------------------------------------------------------------------------

    def _take(self) -> None:
        self._memory.take(self._engine.take_changes())

    def _submit(self, kind: str, payload: dict[str, Any], subject: str) -> dict[str, Any]:
        result = self._give(kind, payload)
        if not result.ok:
            message = (result.status or {}).get("message") or f"code {result.code}"
            raise InputRefused([f"{subject} was refused: {message}"])
        return result.object or {}

    def _give(self, kind: str, payload: dict[str, Any]) -> Result:
        self._commands += 1
        result = self._engine.submit(Command(f"library-{self._commands}", kind, payload))
        self._take()
        return result

    def _parse(self, text: str) -> Expression:
        expression = parse(text)
        return Until(text, expression=expression).within(self.namespace).expression or expression

    def _name(self, reference: str) -> dict[str, Any]:
        look = self._parse(f"{reference} exists")
        return {"kind": look.kind, "namespace": look.namespace, "name": look.name}

    def _read_until(self, when: str | int) -> Until:
        return (
            Until(f"{when}ms", at_ms=when)
            if isinstance(when, int)
            else read_until(when).within(self.namespace)
        )

    def _holds(self, until: Until) -> bool:
        if until.at_ms is not None:
            return self.now_ms >= until.at_ms
        return self._engine.is_idle() if until.expression is None else self._look(until.expression).holds

    def _look(self, expression: Expression) -> Verdict:
        return expression.evaluate(self._engine)

    def _find_why(self, kind: str, namespace: str, name: str) -> str:
        self._take()
        told = self._memory.verdicts.tell(self._engine)
        place = kind, namespace, name
        return next((one.verdict for one in told if (one.kind, one.namespace, one.name) == place), "")


@dataclass(frozen=True, slots=True)
class Run:
    """A run that has ended: what came of it, and the cluster as it stands then.

    `notes` are for people: what is assumed, stored only, or missing.
    """

    cluster: Cluster
    outcome: Outcome
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every claim held, every step was carried out and every end was reached."""
        return self.outcome.exit_status == 0

    @property
    def problems(self) -> list[str]:
        """Why not."""
        ends = [f"not reached: {text}" for text in self.outcome.not_reached]
        return [*self.outcome.refusals, *self.outcome.failures, *ends]


def simulate(
    *inputs: Manifest,
    until: str | Sequence[str] = (),
    nodes: int | None = None,
    seed: int | None = None,
    epoch: str | None = None,
    timing: str | None = None,
    kubernetes: str | None = None,
    namespace: str = "",
) -> Run:
    """Run manifests, and the Scenario among them, as `podline simulate` does. Raises InputRefused."""
    plan = _plan(
        inputs, until=until, nodes=nodes, seed=seed, epoch=epoch, timing=timing, kubernetes=kubernetes,
        namespace=namespace,
    )  # fmt: skip
    memory = Memory()
    outcome, engine = run(plan, memory)
    missing = [f"missing: {line}" for line in plan.missing]
    return Run(Cluster._of(engine, memory, namespace or "default"), outcome, (*missing, *plan.list_notes()))


def load(
    *inputs: Manifest,
    nodes: int | None = None,
    seed: int | None = None,
    epoch: str | None = None,
    timing: str | None = None,
    kubernetes: str | None = None,
    namespace: str = "",
) -> Cluster:
    """A cluster that the manifests were applied to, before any time passes. Raises InputRefused."""
    plan = _plan(
        inputs, nodes=nodes, seed=seed, epoch=epoch, timing=timing, kubernetes=kubernetes, namespace=namespace
    )
    if plan.steps or plan.expects or plan.sequences or plan.untils:
        raise InputRefused(["Scenario: its steps, claims and ends are for `simulate`; leave them out"])
    cluster = Cluster._of(Engine(plan.seed, plan.epoch_ms, plan.settings), Memory(), namespace or "default")
    for data, subject in zip(plan.objects, plan.subjects, strict=True):
        cluster._submit("apply", {"object": dict(data)}, subject)
    return cluster


def _plan(
    inputs: Sequence[Manifest],
    *,
    nodes: int | None,
    seed: int | None,
    epoch: str | None,
    timing: str | None,
    kubernetes: str | None,
    until: str | Sequence[str] = (),
    namespace: str = "",
) -> Plan:
    """Flags and manifests put together; nothing at all is an empty cluster."""
    untils = [until] if isinstance(until, str) else until
    if nodes is not None and nodes < 0:
        raise ValueError(f"nodes: {nodes} is no number of nodes: give 0 or more")
    try:
        overrides = Overrides(
            nodes=nodes,
            seed=seed,
            epoch_ms=None if epoch is None else _read_epoch(epoch),
            timing=timing,
            kubernetes=kubernetes,
            untils=tuple(read_until(one).within(namespace) for one in untils),
        )
        return make_plan(_read(inputs, namespace, kubernetes).require_sound() if inputs else [], overrides)
    except ManifestError as error:
        raise InputRefused([str(problem) for problem in error.problems]) from None


def _read(inputs: Iterable[Manifest], namespace: str, kubernetes: str | None) -> Reading:
    """Paths as the command line takes them, texts and objects as files of their own."""
    batches: list[Batch] = []
    for number, one in enumerate(inputs, 1):
        if isinstance(one, Mapping):
            batches.append(Batch({f"object {number}": _encode(one)}))
        elif isinstance(one, str) and ("\n" in one or one.lstrip().startswith("{")):
            batches.append(Batch({f"text {number}": one}))
        else:
            batches.append(open_input(str(one)))
    release = find_release(kubernetes) if kubernetes else None
    return read_batches(batches, "" if namespace == "default" else namespace, release=release)


def _encode(data: Mapping[str, Any]) -> bytes:
    import orjson

    return orjson.dumps(data)


def _find_kind(word: str) -> Any:
    kind = find_kind(word)
    if kind is None:
        raise ValueError(f"no kind is called {word!r}; use one such as pod, deployment or node")
    return kind


def _read_epoch(text: str) -> int:
    try:
        return read_epoch_ms(text)
    except ValueError:
        raise ValueError(f"epoch: {text!r} is no time: write 2026-01-01T00:00:00Z") from None


def read_ms(duration: str | int) -> int:
    if isinstance(duration, int):
        return duration
    until = read_until(duration)
    if until.at_ms is None:
        raise ValueError(f"{duration!r} is no duration: write 90s, 10m or 2h")
    return until.at_ms
