"""Plays a story of kubectl commands: every step a shell line, in a folder and a namespace of its own.

What differs from run to run (names, ages, addresses, times) is masked, in what was recorded and here alike.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import string
import subprocess
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import yaml

Json = Any
STORIES = pathlib.Path(__file__).with_name("kubectl_transcripts.json")
_LETTERS = "[bcdfghjklmnpqrstvwxz2456789]"
_TIME = r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d"
_HASHED = r"((?:pod-template-hash|controller-revision-hash)\W{1,4}\"?(?:[a-z-]+-)?)[a-z0-9]{6,10}\b"
_AGE = r"(?:(?<=[ \t(])|^)(?<!for )\d+[smhdy](\d+[smhd])*(?=\s|$|\))"
MASKS = [
    (re.compile(pattern, flags), shown)
    for pattern, shown, flags in [
        (r"[EWI]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ (\S+\.go):\d+\]", r"<klog> \1]", 0),
        (_TIME + r"\.\d{7,9}Z", "<nanotime>", 0),
        (r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", "<pem>", re.S),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<uid>", 0),
        (_TIME + r"\.\d{6}Z", "<microtime>", 0),
        (_TIME + r"(\.\d+)?(Z|[+-]\d\d:\d\d)", "<time>", 0),
        (r"\b10\.(96|244)\.\d{1,3}\.\d{1,3}\b", "<ip>", 0),
        (r"kube-api-access-[a-z0-9]{5}\b", "kube-api-access-<suffix>", 0),
        (r"\.[0-9a-f]{16}\b", ".<hex>", 0),
        (r"containerd://[0-9a-f]{64}", "<container-id>", 0),
        (r"@sha256:[0-9a-f]{64}", "@sha256:<digest>", 0),
        (r"\(\d+[smhdy](\d+[smhd])* ago\)", "(<age> ago)", 0),
        (r'Invalid value: "\{.*\}"', 'Invalid value: "<object>"', re.S),
        (r"Invalid value: \{.{200,}?\}: (?=[a-z])", "Invalid value: <object>: ", re.S),
        (r'in scheme \"[^"]*\"', 'in scheme "<scheme>"', 0),
        (r"\$\{dir\}/(LIVE|MERGED|kubectl-edit)-\d+", r"${dir}/\1-<n>", 0),
        (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d [+-]\d{4}", "<time>", 0),
        (r"(resourceVersion\W{1,4})\d+", r"\1<rv>", 0),
        (r"\b(10|192)\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", "<ip>", 0),
        (_HASHED, r"\1<hash>", 0),
        (rf"-{_LETTERS}{{7,10}}-{_LETTERS}{{5}}\b", "-<hash>-<suffix>", 0),
        (rf"-{_LETTERS}{{7,10}}\b", "-<hash>", 0),
        (rf"-{_LETTERS}{{5}}\b", "-<suffix>", 0),
        (r"-\d{8}\b", "-<minute>", 0),
        (r"(\d+):3[0-2]\d{3}/", r"\1:<node-port>/", 0),
        (r"(NodePort:.*\s)3[0-2]\d{3}/", r"\1<node-port>/", 0),
        (r"(nodePort\W{1,4})3[0-2]\d{3}", r"\1<node-port>", 0),
        (r"\(x\d+ over [0-9smhd]+\)", "(x<n> over <age>)", 0),
        (_AGE, "<age>", re.M),
        (r"\b(hollow-[123]|node-[123])\b", "<node>", 0),
        (r"containerd://\d\S*|fakeRuntime://\S*", "<runtime>", 0),
        (r"\b[0-9a-f]{64}\b", "<hex>", 0),
        (r"(Resource Version:\s+)\d+", r"\1<rv>", 0),
        (r"\b0/\d+ nodes are available: .*", "0/<n> nodes are available: <why>", 0),
        (r"^(.*Warning +FailedScheduling .*\n)+", r"\1", re.M),
        (r"^(  Progressing .*\n)(  Available .*\n)", r"\2\1", re.M),
        (r"(?<=\S)[ \t]{2,}", "  ", 0),
        (r"[ \t]+$", "", re.M),
    ]
]
_CPU = re.compile(r"(cpu:?\s+)(\d+m)\b")
_FIELD = re.compile(r"^\s+\S+\t<|^(GROUP|KIND|VERSION|RESOURCE|FIELD|FIELDS|error)|^\s+enum: ")


def read_stories() -> list[Json]:
    """What was recorded of a real cluster, v1.35.6, with a kubectl of v1.32."""
    return json.loads(STORIES.read_text())["stories"]


def read_release() -> str:
    """The release of the server that was recorded: `v1.35.6`."""
    return json.loads(STORIES.read_text())["server"]


class Play:
    """One story against one server."""

    def __init__(
        self, config: Json, kubectl: str, story: Json, nodes: dict[str, str], patience: float
    ) -> None:
        run = "".join(secrets.choice(string.ascii_lowercase) for _ in range(5))
        self.story, self.patience = story, patience
        self.namespace = f"api-{run}-{story['story']}"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kubectl-"))
        self.server = config["clusters"][0]["cluster"]["server"]
        config["contexts"][0]["context"]["namespace"] = self.namespace
        self.words = {"ns": self.namespace, "dir": str(self.folder), **nodes}
        (self.folder / ".kubeconfig").write_text(yaml.safe_dump(config))
        (self.folder / ".bin").mkdir()
        (self.folder / ".bin" / "kubectl").symlink_to(kubectl)
        for name, text in (story.get("files") or {}).items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.fill(text))
            path.chmod(0o755 if text.startswith("#!") else 0o644)
        self.environment = {
            "PATH": f"{self.folder / '.bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "HOME": str(self.folder),
            "KUBECONFIG": str(self.folder / ".kubeconfig"),
            "EDITOR": "./editor",
            "TERM": "dumb",
            "LC_ALL": "C",
            "TMPDIR": str(self.folder),
        }

    def fill(self, text: str) -> str:
        return re.sub(r"\$\{(\w+)\}", lambda found: self.words.get(found[1], found[0]), text)

    def run(self) -> Iterator[tuple[Json, Json]]:
        """Each step that counts, and what was answered to it."""
        try:
            if not self.story.get("noNamespace"):
                ready = "kubectl create namespace ${ns} && kubectl wait --for=create sa/default --timeout=10s"
                self.shell(ready, "")
            for step in self.story["steps"]:
                answer = self.step(step)
                if not step.get("setup"):
                    yield step, answer
        finally:
            for line in self.story.get("cleanup", ()):
                self.shell(line, "")
            if not self.story.get("noNamespace"):
                self.shell("kubectl delete namespace ${ns} --wait=false", "")
            shutil.rmtree(self.folder, ignore_errors=True)

    def shell(self, line: str, stdin: str) -> tuple[int, str, str]:
        """Exit code and both streams of a line."""
        done = subprocess.Popen(
            ["bash", "-c", self.fill(line)],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            out, err = done.communicate(self.fill(stdin), timeout=100)
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)
            return 124, "", "no end after 100 s"
        return done.returncode, out, err

    def step(self, step: Json) -> Json:
        code, out, err = self.shell(step["command"], step.get("stdin", ""))
        end = time.monotonic() + self.patience
        while step.get("until") and not re.search(step["until"], out) and time.monotonic() < end:
            time.sleep(0.5)
            code, out, err = self.shell(step["command"], step.get("stdin", ""))
        if " explain " in f" {step['command']} ":
            # Documentation was not recorded.
            out = "".join(line for line in out.splitlines(True) if _FIELD.match(line))
        return {"exit": code, "stdout": self.mask(out, step), "stderr": self.mask(err, step)}

    def mask(self, text: str, step: Json) -> str:
        host = re.sub(r"^https?://([^/]*).*", r"\1", self.server)
        names = ((self.namespace, "ns"), (str(self.folder), "dir"), (self.server, "server"), (host, "host"))
        for word, shown in names:
            text = text.replace(word, f"${{{shown}}}")
        # 100m of CPU is no age.
        text = _CPU.sub("\\1\\2\u200b", text)
        for pattern, shown in MASKS:
            text = pattern.sub(shown, text)
        text = text.replace("\u200b", "")
        for own, shown in step.get("masks", ()):
            text = re.sub(own, shown, text, flags=re.M)
        text = "".join(line for line in text.splitlines(True) if "openshift" not in line)
        if step.get("sorted") and text:
            text = "\n".join(sorted(text.splitlines())) + "\n"
        return text


def differs(step: Json, answer: Json) -> bool:
    """Whether an answer is another than was recorded."""
    return any(step[part] != answer[part] for part in ("exit", "stdout", "stderr"))
