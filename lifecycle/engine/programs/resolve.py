"""Chooses what a container does: annotation, then profile, then its script, then the image.

Each source fills what the ones above it leave open. The result depends on the arguments alone, so that it can
be kept per pod template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import replace

from ..objects.names import BEHAVIOR
from ..objects.pods.api_access import AUTOMOUNT
from ..objects.pods.container import Container
from ..objects.pods.pod import PodSpec
from .behavior import EXITS_AT_ONCE, FOREVER, IGNORES, Behavior, Declared, RunPlan
from .behavior_yaml import read_annotation
from .durations import Duration
from .executables import is_in_volume
from .guesses import IMAGE, SCRIPT_RUNS, SCRIPT_SUCCEEDS, SCRIPT_WAITS, TASK
from .images.files import is_missing
from .images.known import KNOWN_IMAGES, ImageFacts
from .images.nginx_needs import find_nginx_problem
from .images.sources import find_image, shell_flavour, tell_guess
from .profiles import Profile, choose_profile
from .script import Script, examine, is_interpretable, looks_like_waiting, shell_text

_AT_ONCE = Duration.fixed(0)
_FAILED_START = Duration.fixed(50)
_SHORT_TASK = Duration.fixed(1_000)
_BATCH_TASK = Duration.fixed(10_000)
MAY_CALL_API = "its program may call the API; what it would make is not made"
_WAITS = "assumed to wait for ever"
_JOB_LABELS = ("batch.kubernetes.io/job-name", "job-name", "batch.kubernetes.io/controller-uid")


def resolve_behavior(
    pod_spec: PodSpec,
    container: Container,
    annotations: Mapping[str, str],
    profiles: Sequence[Profile],
    pod_labels: Mapping[str, str],
    instant: bool = False,
) -> Behavior:
    """The complete behaviour of a container. `instant`: known images need no time to get ready."""
    base = _from_container(pod_spec, container, pod_labels, instant)
    declared, problems = _from_annotation(container, annotations)
    profile = choose_profile(profiles, container.image, container.name, pod_labels)
    if profile is not None:
        declared = declared.over(profile.behavior)
    return _lay_over(base, declared, problems)


def _from_annotation(
    container: Container, annotations: Mapping[str, str]
) -> tuple[Declared, tuple[str, ...]]:
    text = annotations.get(BEHAVIOR)
    if not text:
        return Declared(), ()
    reading = read_annotation(text)
    return (
        reading.behaviors.get(container.name, Declared()),
        tuple(f"{problem}; this part is left out" for problem in reading.problems),
    )


def _lay_over(base: Behavior, declared: Declared, problems: tuple[str, ...]) -> Behavior:
    # A stated life replaces the script, and with it whatever was assumed of the program.
    runs_script = declared.runs is None
    on_term = declared.on_term or base.on_term
    if not runs_script and on_term is None:
        on_term = IGNORES if base.script is not None and not base.script.handles_term else EXITS_AT_ONCE
    return Behavior(
        pull=declared.pull or base.pull,
        start=declared.start or base.start,
        runs=declared.runs or base.runs,
        on_term=on_term,
        probes=declared.probes or {},
        pre_stop=declared.pre_stop,
        post_start=declared.post_start,
        usage=declared.usage or (),
        creates=declared.creates or (),
        script=base.script if runs_script else None,
        missing_program=base.missing_program if runs_script else "",
        stop_signal=base.stop_signal,
        ports=base.ports,
        binds=base.binds if runs_script else (),
        paths=base.paths,
        answers=base.answers,
        speaks_grpc=base.speaks_grpc,
        plain_http=base.plain_http if runs_script else (),
        ready_after=declared.listens_after or base.ready_after,
        is_opaque=base.is_opaque,
        is_silent=base.is_silent,
        taken_as=base.taken_as if runs_script else "",
        is_assumed=base.is_assumed and runs_script and not declared.probes,
        may_call_api=base.may_call_api and runs_script and declared.creates is None,
        unread=base.unread if runs_script else "",
        assumptions=base.assumptions if runs_script else (),
        problems=base.problems + problems if runs_script else problems,
    )


def _from_container(
    pod_spec: PodSpec, container: Container, labels: Mapping[str, str], instant: bool
) -> Behavior:
    """What the container's command line does, or else its image; a guess of what that is comes with it."""
    behavior = _from_program(pod_spec, container, labels, instant)
    guess = tell_guess(container.image)
    if not guess:
        return behavior
    assumptions = (f"image {container.image}: {guess}", *behavior.assumptions)
    return replace(behavior, taken_as=guess, assumptions=assumptions)


def _from_program(
    pod_spec: PodSpec, container: Container, labels: Mapping[str, str], instant: bool
) -> Behavior:
    found = find_image(container.image)
    facts = found.facts if found else None
    is_alone = len(pod_spec.containers) + len(pod_spec.init_containers) == 1
    if found and container.args and not container.command:
        program = KNOWN_IMAGES.get(f"{found.name} {container.args[0]}")
        if program is not None:
            return _known_program(program, container, is_alone, instant)
    arguments = _arguments(container, facts)
    if arguments is None and facts is not None and facts.has_known_files and container.raw.get("stdin"):
        # The shell of a base image, whose input stays open.
        arguments = ("bash" if shell_flavour(container.image) == "bash" else "sh",)
    if arguments is not None and _lacks(container, arguments[0]):
        return Behavior(missing_program=arguments[0])
    if arguments is not None and (is_interpretable(arguments) or is_in_volume(arguments[0], container.raw)):
        return _script(pod_spec, container, labels, facts, arguments)
    if facts is None or arguments is not None or not facts.is_program_known:
        return _unknown_program(pod_spec, container, labels, facts, arguments)
    known = _known_program(facts, container, is_alone, instant)
    problem = find_nginx_problem(pod_spec, container)
    return replace(known, runs=(RunPlan(_FAILED_START, 1, says=problem),)) if problem else known


def _lacks(container: Container, command: str) -> bool:
    """Whether a command, its references left as they are, is surely no program of the container."""
    return (
        "$(" not in command
        and is_missing(container.image, command)
        and not is_in_volume(command, container.raw)
    )


def _arguments(container: Container, facts: ImageFacts | None) -> tuple[str, ...] | None:
    """The command line process 1 gets; None when the image decides it, or part of it, out of sight."""
    if container.command:
        return (*container.command, *(container.args or ()))
    if not container.args or facts is None or facts.entrypoint is None:
        return None
    if facts.ports and not facts.entrypoint and container.args[0].startswith("-"):
        # The entrypoint of a server gives it such words: `redis --appendonly yes`.
        return None
    return (*facts.entrypoint, *container.args)


def _script(
    pod_spec: PodSpec,
    container: Container,
    labels: Mapping[str, str],
    facts: ImageFacts | None,
    arguments: tuple[str, ...],
) -> Behavior:
    """A command line that is run as it is written."""
    from .images.folders import find_working_folder

    findings = examine(arguments)
    run, what = _unknown_run(pod_spec, container, labels)
    script = Script(
        arguments,
        folder=find_working_folder(container.raw),
        flavour=shell_flavour(container.image),
        is_process_one=not (pod_spec.share_process_namespace or pod_spec.host_pid),
        is_lenient=facts is None or not facts.has_known_files,
        tail_runs="ends" if run is not FOREVER else "serves" if container.ports else "forever",
        handles_term=findings.handles_term,
        unknown=findings.unknown,
        is_in_volume="$(" in arguments[0] or is_in_volume(arguments[0], container.raw),
    )
    stop_signal = facts.stop_signal if facts else None
    if not findings.is_refused:
        return Behavior(script=script, stop_signal=stop_signal, is_opaque=False)
    is_to_end = run is not FOREVER
    if is_to_end and looks_like_waiting(shell_text(arguments) or ""):
        # A gate that nobody can read stays shut: open it would show what no cluster does.
        run, what = FOREVER, _WAITS
    on_term = EXITS_AT_ONCE if findings.handles_term else IGNORES
    on_signal = "exit 0 on" if findings.handles_term else "ignore"
    problem = (
        f"cannot interpret {findings.unknown[0]}: the container is {what} and to {on_signal} its stop signal"
    )
    guess = SCRIPT_WAITS if what == _WAITS else SCRIPT_SUCCEEDS if is_to_end else SCRIPT_RUNS
    return Behavior(
        runs=(run,),
        on_term=on_term,
        stop_signal=stop_signal,
        is_silent=is_to_end,
        unread=f"{guess.taken}: {findings.unknown[0]}",
        problems=(problem,),
    )


def _known_program(facts: ImageFacts, container: Container, is_alone: bool, instant: bool) -> Behavior:
    notes = (f"image {container.image}: {facts.assumption}",) if facts.assumption else ()
    needs_no_time = instant and not facts.is_stated
    is_plain = not _is_customised(container)
    return Behavior(
        runs=(_known_run(facts, container.raw),),
        on_term=facts.on_term,
        stop_signal=facts.stop_signal,
        ports=_ports(facts, container.raw, is_plain),
        binds=facts.ports if is_plain and not is_alone else (),
        # A hook may write pages.
        paths=facts.paths if is_plain and not container.post_start else (),
        answers=facts.answers,
        speaks_grpc=facts.speaks_grpc or not facts.ports or not is_plain,
        plain_http=facts.ports if facts.speaks_http and is_plain else (),
        ready_after=None if needs_no_time or not facts.ready_ms else Duration.fixed(facts.ready_ms),
        is_opaque=not facts.is_shell,
        is_silent=facts.is_silent,
        assumptions=notes,
    )


def _known_run(facts: ImageFacts, raw: Mapping[str, Any]) -> RunPlan:
    if facts.needs_env and not _has_env(raw, facts.needs_env):
        return RunPlan(_SHORT_TASK, exit=1, says=facts.complaint)
    # A shell whose input stays open waits for it for ever.
    if facts.ends is None or (facts.is_shell and raw.get("stdin")):
        return FOREVER
    return RunPlan(_AT_ONCE, exit=facts.ends)


def _has_env(raw: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    given = {entry.get("name") for entry in raw.get("env") or ()}
    return bool(raw.get("envFrom")) or not given.isdisjoint(names)


def _is_customised(container: Container) -> bool:
    """Whether configuration may have been changed, so that the image's own ports and paths are no facts."""
    raw = container.raw
    return bool(raw.get("volumeMounts") or raw.get("env") or raw.get("envFrom") or container.args)


def _ports(facts: ImageFacts, raw: Mapping[str, Any], is_plain: bool) -> tuple[int, ...]:
    if is_plain or not facts.ports:
        return facts.ports
    declared = {entry.get("containerPort", 0) for entry in raw.get("ports") or ()}
    return tuple(sorted(declared | set(facts.ports))) if declared else ()


def _unknown_program(
    pod_spec: PodSpec,
    container: Container,
    labels: Mapping[str, str],
    facts: ImageFacts | None,
    arguments: tuple[str, ...] | None,
) -> Behavior:
    """A program of which nothing is known: everything said of it is an assumption."""
    run, what = _unknown_run(pod_spec, container, labels)
    which = f"command {' '.join(arguments)[:60]}" if arguments else f"image {container.image}"
    serves = run is FOREVER
    # What arguments, variables or files tell it to listen on, nobody knows.
    ports = facts.ports if facts and arguments is None and not _is_customised(container) else ()
    answering = f", to answer on {_name_ports(ports)}" if serves else ""
    said = f"{which}: {what}, to be ready at once{answering} and to exit 0 on its stop signal, at once"
    may_call_api = not serves and has_own_token(pod_spec.raw)
    return Behavior(
        runs=(run,),
        on_term=EXITS_AT_ONCE,
        stop_signal=facts.stop_signal if facts else None,
        ports=ports,
        is_assumed=serves,
        may_call_api=may_call_api,
        assumptions=(said, MAY_CALL_API) if may_call_api else (said,),
    )


def has_own_token(raw: Mapping[str, Any]) -> bool:
    """Whether a pod's containers find the token of an account that was made for them."""
    return raw.get("serviceAccountName") not in (None, "", "default") and raw.get(AUTOMOUNT) is not False


def _name_ports(ports: tuple[int, ...]) -> str:
    return f"{'port' if len(ports) == 1 else 'ports'} {', '.join(map(str, ports))}" if ports else "every port"


def _unknown_run(pod_spec: PodSpec, container: Container, labels: Mapping[str, str]) -> tuple[RunPlan, str]:
    """Programs that are there to end (init containers, Jobs) end well; all others run for ever."""
    is_init = any(entry is container for entry in pod_spec.init_containers)
    if is_init and container.raw.get("restartPolicy") != "Always":
        return RunPlan(_SHORT_TASK), f"{TASK.taken} after 1 s"
    if any(label in labels for label in _JOB_LABELS):
        return RunPlan(_BATCH_TASK), f"{TASK.taken} after 10 s"
    return FOREVER, IMAGE.taken
