"""Downloads, builds and calls to other systems: nothing of them is modelled but that they take a while."""

from __future__ import annotations

from ..guesses import INSTALLER
from ..shell.reading.options import split_options
from .call import Call, Outcome
from .registry import TOOLS, UNKNOWN, tool

_INSTALL_MS = 5_000
_CLONING = tuple("branch depth origin config jobs template reference filter separate-git-dir".split())
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
    if call.is_asked:
        return call.refuse_asked()
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
    if call.name == "git" and call.arguments[:1] == ["clone"]:
        _clone(call)
    return 0


def _clone(call: Call) -> None:
    """Make the folder of a repository, of which nothing is known but that it is there."""
    options, words = split_options(call.arguments[1:], "bcjou", _CLONING)
    if not words:
        return
    name = words[1] if len(words) > 1 else words[0].rstrip("/").rpartition("/")[2].removesuffix(".git")
    path = call.path(f"{name}.git" if "bare" in options and len(words) == 1 else name)
    call.files.make_folder(path, parents=True)
    call.files.write_unknown(path)
