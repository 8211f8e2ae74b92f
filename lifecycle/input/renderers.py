"""Charts and kustomizations, rendered by the user's own helm, kustomize or kubectl.

The programs get an empty home, no plugins, no PATH on which they would find others, and no way to the
network: what a chart or an overlay needs has to be there. They never see a cluster. Post-renderers are not
offered.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.engine.schema.tables import load_tables
from lifecycle.input.folders import CHART, KUSTOMIZATIONS
from lifecycle.input.manifests import FILE_LIMIT_BYTES
from lifecycle.input.problems import Problem
from lifecycle.input.reading import Batch
from lifecycle.lean_dataclasses import dataclass

if TYPE_CHECKING:
    import subprocess

MOST_SECONDS = 60
LONGEST_NAME = 53
"""Helm takes no longer name for a release."""
_ARCHIVES = (".tgz", ".tar.gz")
# Nobody listens there: whatever would be downloaded fails at once.
_NOWHERE = "http://127.0.0.1:9"
_WITHOUT_NETWORK = {
    "HTTP_PROXY": _NOWHERE,
    "HTTPS_PROXY": _NOWHERE,
    "ALL_PROXY": _NOWHERE,
    "NO_PROXY": "",
    "KUBECONFIG": os.devnull,
}
# Processor seconds, and units of 512 bytes that a file may have; a shell that cannot limit goes on.
_LIMITS = f"ulimit -t {MOST_SECONDS}; ulimit -f {FILE_LIMIT_BYTES // 512}"
_MOST_SAID = 2000
_HELM_ROOMS = ("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME", "HELM_PLUGINS")


@dataclass(frozen=True, slots=True)
class Values:
    """What a chart is rendered with: files of values, single ones (`image.tag=2`), namespace, release."""

    files: tuple[str, ...] = ()
    single: tuple[str, ...] = ()
    namespace: str = ""
    kubernetes: str = DEFAULT_RELEASE.version

    def __bool__(self) -> bool:
        return bool(self.files or self.single)


NO_VALUES = Values()


def is_chart(name: str) -> bool:
    """Whether a path is a chart's: a folder with Chart.yaml, or an archive as `helm package` makes it."""
    path = Path(name)
    return (path / CHART).is_file() or (name.endswith(_ARCHIVES) and path.is_file())


def render_chart(name: str, values: Values, path: str = "") -> Batch | None:
    """The objects that `helm install` would send, hooks and tests among them; None where there is no helm.

    `path`: where it stands, if not where people say.
    """
    import shutil

    program = shutil.which("helm")
    if program is None:
        return None
    if strange := [file for file in values.files if "://" in file]:
        return _refuse(strange[0], "nothing is downloaded", "download it first and give the file")
    path = os.path.abspath(path or name)
    command = [program, "template", make_release_name(name), path, "--include-crds"]
    command += ["--namespace", values.namespace or "default", "--kube-version", values.kubernetes]
    command += [word for file in values.files for word in ("--values", os.path.abspath(file))]
    command += [word for one in values.single for word in ("--set", one)]
    # A cluster would tell helm what it serves: charts ask for it (`.Capabilities.APIVersions.Has`).
    command += [word for one in _list_served() for word in ("--api-versions", one)]
    return _render(name, path, command, [program, "version", "--short"])


def _list_served() -> list[str]:
    """What a cluster of the release serves, versions and kinds in them."""
    kinds = [pair for pair in load_tables().kinds if not pair[0].startswith("podline.dev/")]
    return sorted({version for version, _ in kinds} | {f"{version}/{kind}" for version, kind in kinds})


def render_kustomization(name: str, path: str = "") -> Batch:
    """The objects that `kubectl apply -k` would send. `path`: where it stands, if not where people say."""
    import shutil

    path = os.path.abspath(path or name)
    if not any((Path(path) / one).is_file() for one in KUSTOMIZATIONS):
        return _refuse(name, "no kustomization in this folder", f"give one that has a {KUSTOMIZATIONS[0]}")
    if program := shutil.which("kustomize"):
        command, version = [program, "build"], [program, "version"]
    elif program := shutil.which("kubectl"):
        command, version = [program, "kustomize"], [program, "version", "--client"]
    else:
        remedy = f"install one, or run `kubectl kustomize {name}` elsewhere and give the result"
        return _refuse(name, "neither kustomize nor kubectl is on the PATH", remedy)
    return _render(name, path, [*command, path], version)


def make_release_name(name: str) -> str:
    """What the release is called: as its chart's folder or archive, as far as Helm takes that for a name."""
    base = Path(os.path.abspath(name)).name
    for ending in _ARCHIVES:
        base = re.sub(r"-v?\d[\w.+-]*$", "", base.removesuffix(ending)) if base.endswith(ending) else base
    label = re.sub(r"[^a-z0-9]+", "-", base.lower())[:LONGEST_NAME].strip("-")
    return label or "release"


def _render(name: str, path: str, command: Sequence[str], version: Sequence[str]) -> Batch:
    import subprocess
    import tempfile

    program = Path(command[0]).name
    with tempfile.TemporaryDirectory(prefix="podline-") as home:
        environment = _make_environment(home)
        try:
            done = _run(command, home, environment)
            told = _run(version, home, environment)
        except subprocess.TimeoutExpired:
            return _refuse(
                name, f"{program} took more than {MOST_SECONDS} s", "render it yourself, give the result"
            )
        except OSError as error:
            return _refuse(
                name, f"{command[0]} cannot be started: {error.strerror}", f"install {program} anew"
            )
    if done.returncode:
        said = done.stderr.decode(errors="replace").replace(path, name)
        return _refuse(name, *_explain(name, program, said[:_MOST_SAID]))
    number = re.search(r"v\d+\.\d+[^\s,+}]*", told.stdout.decode(errors="replace"))
    note = f"{name} is rendered by {program}{f' {number[0]}' if number else ''}, {command[0]}"
    return Batch({f"{name} (rendered by {program})": done.stdout}, notes=(note,))


def _explain(name: str, program: str, said: str) -> tuple[str, str]:
    """What is wrong, and what would be right."""
    text = " ".join(said.split()).removeprefix("Error: ")
    if "missing in charts/" in text:
        return f"{program} cannot render it: {text}", f"run `helm dependency build {name}` first"
    if _NOWHERE.removeprefix("http://") in text:
        found = re.search(r"https?://[^\s\"'\\]+", text)
        what = found[0] if found else "something"
        return f"it wants {what}, and nothing is downloaded", "render it yourself and give the result"
    return f"{program} cannot render it: {text}", f"mend it until {program} itself renders it"


def _make_environment(home: str) -> Mapping[str, str]:
    rooms = {room: str(Path(home) / room.lower()) for room in _HELM_ROOMS}
    return {"HOME": home, "PATH": "", "TMPDIR": home, **_WITHOUT_NETWORK, **rooms}


def _run(
    command: Sequence[str], home: str, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """What it writes goes to files, which may not grow beyond what is read of them."""
    import subprocess

    outputs = [Path(home) / name for name in ("stdout", "stderr")]
    with outputs[0].open("wb") as out, outputs[1].open("wb") as errors:
        done = subprocess.run(
            ["/bin/sh", "-c", f'{_LIMITS}; exec "$@"', "sh", *command],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            timeout=MOST_SECONDS,
        )
    return subprocess.CompletedProcess(command, done.returncode, *(one.read_bytes() for one in outputs))


def _refuse(name: str, message: str, remedy: str) -> Batch:
    return Batch({}, unreadable=(Problem(message, remedy, source=name),))
