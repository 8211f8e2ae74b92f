"""Tools that ask about, or pass, time and the machine."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ..shell.options import split_options
from ..shell.task import Wait
from .call import Call, Outcome
from .registry import TOOLS, UNKNOWN, tool

LONGEST_MS = 10**13
_LARGEST = 1 << 50
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
_SLEEP = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([smhd]?)")
_SLEEP_MS = {"": 1000, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def sleep_milliseconds(text: str) -> int | None:
    """`1.5`, `10s` and `2m` in ms, three hundred years at most; None for what is no time."""
    match = _SLEEP.fullmatch(text)
    return None if match is None else round(min(float(match[1]) * _SLEEP_MS[match[2]], LONGEST_MS))


@tool("sleep", "usleep")
def sleep(call: Call) -> Outcome:
    if "until" in call.state:
        return 0
    if call.arguments in (["infinity"], ["inf"]):
        return Wait(Wait.SIGNAL)
    spans = [sleep_milliseconds(word) for word in call.arguments]
    if not spans or None in spans:
        return call.fail(f"invalid number '{' '.join(call.arguments)}'")
    total_ms = sum(span for span in spans if span is not None)
    call.state["until"] = call.now_ms + (total_ms if call.name == "sleep" else total_ms // 1_000_000)
    return call.sleep_until(call.state["until"])


@tool("true", ":")
def true(call: Call) -> Outcome:
    return 0


@tool("false")
def false(call: Call) -> Outcome:
    return 1


@tool("date")
def date(call: Call) -> Outcome:
    options, operands = split_options(call.arguments, "drI", ("date", "reference"))
    call.machine.is_volatile = True
    instant_ms = call.world.epoch_ms + call.now_ms
    text = options.get("d", options.get("date"))
    if text is not None:
        shifted = _read_date(text, instant_ms)
        if shifted is None:
            return call.cannot(f"-d {text!r}", 1)
        instant_ms = shifted
    form = next((word[1:] for word in operands if word.startswith("+")), None)
    if "I" in options or "iso-8601" in options:
        form = "%Y-%m-%d" if options.get("I", "") != "seconds" else "%Y-%m-%dT%H:%M:%S+00:00"
    call.out(format_date(instant_ms, form if form is not None else "%a %b %e %H:%M:%S UTC %Y") + "\n")
    return 0


def _read_date(text: str, now_ms: int) -> int | None:
    if text.startswith("@") and text[1:].isdigit():
        return int(text[1:]) * 1000
    match = re.fullmatch(r"([-+]?\d+) *(second|sec|minute|min|hour|day|week)s?( ago)?", text.strip())
    if match is not None:
        units = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "day": 86_400, "week": 604_800}
        seconds = int(match[1]) * units[match[2]] * (-1 if match[3] else 1)
        return now_ms + 1000 * seconds
    try:
        given = datetime.fromisoformat(text.replace("Z", "+00:00").replace(" UTC", "+00:00"))
    except ValueError:
        return now_ms if text in ("now", "today") else None
    return int((given if given.tzinfo else given.replace(tzinfo=UTC)).timestamp() * 1000)


def format_date(instant_ms: int, form: str) -> str:
    """`strftime` for UTC, with the forms that GNU and busybox add. Raises ValueError beyond the year 9999."""
    if not _FIRST_SECOND <= instant_ms // 1000 <= _LAST_SECOND:
        raise ValueError(f"the instant {instant_ms}")
    moment = datetime.fromtimestamp(instant_ms // 1000, UTC)
    own = {
        "s": str(instant_ms // 1000),
        "N": f"{instant_ms % 1000:03d}000000",
        "e": f"{moment.day:2d}",
        "T": moment.strftime("%H:%M:%S"),
        "F": moment.strftime("%Y-%m-%d"),
        "R": moment.strftime("%H:%M"),
        "D": moment.strftime("%m/%d/%y"),
        "Z": "UTC",
        "z": "+0000",
        "n": "\n",
        "t": "\t",
        "3N": f"{instant_ms % 1000:03d}",
    }
    return re.sub(
        r"%(3N|-?[A-Za-z%])",
        lambda found: own.get(found[1]) or moment.strftime("%" + found[1].lstrip("-")),
        form,
    )


@tool("hostname", "uname", "arch")
def hostname(call: Call) -> Outcome:
    pod = call.world.pod
    if call.name == "hostname":
        texts = {"-i": pod.ip, "-I": pod.ip + " ", "-d": "", "-f": pod.name, "-s": pod.name.partition(".")[0]}
        call.out(texts.get("".join(call.arguments), pod.name) + "\n")
        return 0
    option = "m" if call.name == "arch" else "".join(call.arguments).strip("-") or "s"
    values = {"s": "Linux", "n": pod.name, "r": "6.6.0", "v": "#1 SMP", "m": "x86_64", "o": "GNU/Linux"}
    letters = "snrvmo" if "a" in option else option
    call.out(" ".join(values.get(letter, "Linux") for letter in letters) + "\n")
    return 0


@tool("env", "printenv")
def env(call: Call) -> Outcome:
    words = call.arguments
    if call.name == "printenv":
        if not words:
            call.out("".join(f"{name}={value}\n" for name, value in call.environment.items()))
            return 0
        found = [call.environment[name] for name in words if name in call.environment]
        call.out("".join(value + "\n" for value in found))
        return int(len(found) < len(words))
    while words and (words[0].startswith("-") or "=" in words[0]):
        if words[0] in ("-i", "-"):
            call.task.environment = {}
        elif words[0] == "-u":
            call.environment.pop(words[1], None)
            words = words[1:]
        elif "=" in words[0] and not words[0].startswith("-"):
            name, _, value = words[0].partition("=")
            call.task.environment = {**call.environment, name: value}
        words = words[1:]
    if words:
        return call.become(words)
    call.out("".join(f"{name}={value}\n" for name, value in call.environment.items()))
    return 0


@tool("seq")
def seq(call: Call) -> Outcome:
    options, numbers = split_options(
        [word if not re.fullmatch(r"-\d+(\.\d+)?", word) else f"\0{word}" for word in call.arguments], "sf"
    )
    numbers = [number.lstrip("\0") for number in numbers]
    try:
        values = [float(number) for number in numbers]
    except ValueError:
        return call.fail(f"invalid number {' '.join(numbers)!r}")
    if not 1 <= len(values) <= 3:
        return call.fail("one to three numbers are needed")
    first, step, last = (1.0, 1.0, values[0]) if len(values) == 1 else (values[0], 1.0, values[-1])
    step = values[1] if len(values) == 3 else step
    if step == 0 or abs((last - first) / step) > 200_000:
        return call.cannot("of so many numbers")
    places = max((len(number.partition(".")[2]) for number in numbers), default=0)
    count = int((last - first) / step + 1e-9) + 1 if (last - first) * step >= 0 else 0
    width = max((len(number) for number in numbers), default=0) if "w" in options else 0
    texts = [f"{first + step * place:.{places}f}".zfill(width) for place in range(count)]
    separator = options.get("s", "\n")
    if texts:
        call.out(separator.join(texts) + "\n")
    return 0


@tool("id", "whoami", "groups", "logname")
def identity(call: Call) -> Outcome:
    """The user and the groups the container was given; the name of a user that has one."""
    who = call.world.identity
    letters = "".join(call.arguments).replace("-", "")
    if call.name == "groups" or "G" in letters:
        ids: tuple[int, ...] = who.groups
    else:
        ids = (who.groups[0],) if "g" in letters else (who.user,)
    names = {0: "root", 65534: "nobody" if "g" not in letters else "nogroup"}
    if call.name != "id" or "n" in letters:
        if ids == (who.user,) and who.user_name:
            names[who.user] = who.user_name
        if call.name == "whoami" and who.user not in names:
            return call.fail(f"unknown uid {who.user}")
        call.out(" ".join(names.get(one, str(one)) for one in ids) + "\n")
    elif letters:
        call.out(" ".join(map(str, ids)) + "\n")
    else:
        named = {0: "0(root)", 65534: "65534(nogroup)"}
        groups = [named.get(one, str(one)) for one in who.groups]
        user = f"{who.user}({who.user_name})" if who.user_name else str(who.user)
        call.out(f"uid={user} gid={groups[0]} groups={','.join(groups)}\n")
    return 0


@tool("modprobe", "insmod", "rmmod")
def change_kernel(call: Call) -> Outcome:
    """Kernel modules are the node's: capabilities of the container's own user namespace do not reach them."""
    who = call.world.identity
    if who.has_user_namespace or "SYS_MODULE" not in who.capabilities:
        module = call.arguments[-1] if call.arguments else ""
        return call.fail(f"can't change module {module!r}: Operation not permitted")
    return 0


@tool("nproc")
def nproc(call: Call) -> Outcome:
    """The CPUs the container may run on."""
    cpus = call.world.kernel_files.get("/sys/fs/cgroup/cpuset.cpus.effective", "0-3").strip()
    ranges = [part.partition("-") for part in cpus.split(",") if part]
    call.out(f"{sum(int(last or first) - int(first) + 1 for first, _, last in ranges)}\n")
    return 0


@tool("uptime", "free", "df", "du", "lscpu", "lsblk", "mount", "dmesg", "top", "vmstat", "iostat")
def figures(call: Call) -> Outcome:
    call.machine.is_volatile = True
    if call.name == "df":
        call.out(
            "Filesystem 1K-blocks Used Available Use% Mounted on\noverlay 102400000 10240000 92160000 10% /\n"
        )
    elif call.name == "free":
        call.out("              total        used        free\nMem:        8388608     2097152     6291456\n")
    elif call.name == "uptime":
        seconds = call.now_ms // 1000
        call.out(f" up {seconds // 60} min,  load average: 0.00, 0.00, 0.00\n")
    else:
        call.machine.note(f"cannot interpret {call.name}: taken to print nothing")
    return 0


@tool("stty", "sync", "clear", "reset", "umount", "swapoff", "ulimit", "chown", "chgrp")
def nothing_to_see(call: Call) -> Outcome:
    """Changes something no script here can look at."""
    return 0


@tool(
    "setcap", "update-ca-certificates", "ldconfig", "locale-gen", "adduser", "addgroup", "useradd", "groupadd"
)
def settings(call: Call) -> Outcome:
    return 0


_SYSCTLS = {"vm.max_map_count": "65530", "net.core.somaxconn": "4096", "net.ipv4.ip_forward": "1"}


@tool("sysctl")
def sysctl(call: Call) -> Outcome:
    """Kernel settings: read from what is usual, set without effect on anything here."""
    options, names = split_options(call.arguments)
    for name in names:
        key, equals, value = name.partition("=")
        value = value if equals else _SYSCTLS.get(key, "0")
        call.out(f"{value}\n" if "n" in options else f"{key} = {value}\n")
    return 0


_INSTALL_MS = 5_000


@tool("npm", "yarn", "pnpm", "go", "bundle", "mvn", "gradle", "cargo", "composer")
def project_tool(call: Call) -> Outcome:
    """Installs and builds; anything else runs the project's own program."""
    if call.arguments and call.arguments[0] not in _BUILDS:
        return TOOLS[UNKNOWN](call)
    return install(call)


_BUILDS = frozenset("install ci i add build test compile package clean mod get generate audit".split())


@tool("apt-get", "apt", "apk", "yum", "dnf", "microdnf", "pip", "pip3", "gem", "git", "svn", "make", "cmake")
@tool("gcc", "g++", "aws", "kubectl", "helm", "gcloud", "gsutil", "az", "terraform", "rclone", "restic", "mc")
@tool(
    "s3cmd", "rsync", "scp", "ssh", "ssh-keygen", "openssl", "jq", "yq", "tar", "zip", "unzip", "cfssl", "oc"
)
def install(call: Call) -> Outcome:
    """Downloads, builds and calls to other systems: only known to take a while and to end."""
    if "until" not in call.state:
        what = " ".join([call.name, *call.arguments[:3]])
        call.machine.note(f"cannot interpret {what!r}: taken to succeed after {_INSTALL_MS // 1000} s")
        call.state["until"] = call.now_ms + _INSTALL_MS
        return call.sleep_until(call.state["until"])
    if call.name == "git" and call.arguments[:1] == ["clone"]:
        _clone(call)
    return 0


def _clone(call: Call) -> None:
    operands = [word for word in call.arguments[1:] if not word.startswith("-")]
    if operands:
        target = operands[1] if len(operands) > 1 else operands[0].rpartition("/")[2].removesuffix(".git")
        call.files.make_folder(call.path(target), parents=True)


@tool("stress", "stress-ng")
def stress(call: Call) -> Outcome:
    """Uses CPU and memory as told; ends after its timeout, or never."""
    options, _ = split_options(
        call.arguments,
        "cmtid",
        ("cpu", "vm", "vm-bytes", "vm-hang", "timeout", "io", "hdd", "cpu-load", "vm-keep"),
    )
    if "until" in call.state:
        return 0
    workers = int(options.get("cpu", options.get("c", "0")) or 0)
    memory_workers = int(options.get("vm", options.get("m", "0")) or 0)
    each = read_size(options.get("vm-bytes", "256M")) or 0
    load = int(options.get("cpu-load") or 100)
    call.task.cpu_milli = min(workers * load * 10 + memory_workers * 1000, _LARGEST)
    call.task.memory_bytes = min(call.task.memory_bytes + memory_workers * each, _LARGEST)
    span_ms = sleep_milliseconds(options.get("timeout", options.get("t", "")))
    call.out(
        f"stress: info: [{call.task.pid}] dispatching hogs: {workers} cpu, 0 io, {memory_workers} vm, 0 hdd\n"
    )
    if span_ms is None:
        return Wait(Wait.SIGNAL)
    call.state["until"] = call.now_ms + span_ms
    return call.sleep_until(call.state["until"])


def read_size(text: str) -> int | None:
    """`250M` in bytes, as stress and head take it."""
    match = re.fullmatch(r"(\d+)([bBkKmMgG]?)i?[bB]?", text)
    if match is None:
        return None
    return min(int(match[1]) << {"": 0, "b": 0, "k": 10, "m": 20, "g": 30}[match[2].lower()], _LARGEST)


@tool("yes")
def yes(call: Call) -> Outcome:
    line = " ".join(call.arguments or ["y"]) + "\n"
    if not call.out(line * 512) or not call.is_alive:
        return None if not call.is_alive else 1
    file = call.machine.open_files.files[call.task.fds[1]]
    if file.kind != "writer":
        call.task.cpu_milli = 1_000
        return Wait(Wait.SIGNAL)
    return Wait(Wait.SPACE, file.pipe)
