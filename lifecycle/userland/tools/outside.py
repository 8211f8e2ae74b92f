"""Downloads, builds and calls to other systems: nothing of them is modelled but that they take a while."""

from __future__ import annotations

from ..guesses import INSTALLER
from .call import Call, Outcome
from .registry import TOOLS, UNKNOWN, tool

_INSTALL_MS = 5_000
_FORMATTING = frozenset("kubectl oc helm aws az gcloud".split())
"""Where `-o` names a format."""
_BUILDS = frozenset("install ci i add build test compile package clean mod get generate audit".split())


@tool("npm", "yarn", "pnpm", "go", "bundle", "mvn", "gradle", "cargo", "composer")
def project_tool(call: Call) -> Outcome:
    """Install and build; anything else runs the project's own program."""
    if call.arguments and call.arguments[0] not in _BUILDS:
        return TOOLS[UNKNOWN](call)
    return install(call)


@tool("apt-get", "apt", "apk", "yum", "dnf", "microdnf", "pip", "pip3", "gem", "git", "svn", "make", "cmake")
@tool("gcc", "g++", "aws", "kubectl", "helm", "gcloud", "gsutil", "az", "terraform", "rclone", "restic", "mc")
@tool(
    "s3cmd", "rsync", "scp", "ssh", "ssh-keygen", "openssl", "jq", "yq", "tar", "zip", "unzip", "cfssl", "oc"
)
def install(call: Call) -> Outcome:
    """Downloads, builds and calls to other systems: only known to take a while and to end.

    What the main script of a container with ports ends with is its server: `git daemon`, `kubectl proxy`.
    """
    machine = call.machine
    is_main = call.state.get("is_tail") and call.task.root == machine.main_pid
    if is_main and machine.tail_runs == "serves":
        return TOOLS[UNKNOWN](call)
    if "until" not in call.state:
        what = " ".join([call.name, *call.arguments[:3]])
        # What it brings may be looked for later.
        machine.is_lenient = True
        machine.note(f"cannot interpret {what!r}: {INSTALLER.taken.format(seconds=_INSTALL_MS // 1000)}")
        call.state["until"] = call.now_ms + _INSTALL_MS
        return call.sleep_until(call.state["until"])
    if call.name not in _FORMATTING:
        call.write_outputs()
    return 0
