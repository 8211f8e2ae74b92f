"""What the kernel tells and lets be set: modules, settings, processors, figures of the machine."""

from __future__ import annotations

from ..guesses import STATISTICS
from ..shell.reading.options import split_options
from .call import Call, Outcome
from .registry import tool

_SYSCTLS = {"vm.max_map_count": "65530", "net.core.somaxconn": "4096", "net.ipv4.ip_forward": "1"}


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
    """Tell figures of the machine; those that are not modelled are named."""
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
        call.machine.note(f"cannot interpret {call.name}: {STATISTICS.taken}")
    return 0


@tool("sysctl")
def sysctl(call: Call) -> Outcome:
    """Kernel settings: read from what is usual, set without effect on anything here."""
    options, names = split_options(call.arguments)
    for name in names:
        key, equals, value = name.partition("=")
        value = value if equals else _SYSCTLS.get(key, "0")
        call.out(f"{value}\n" if "n" in options else f"{key} = {value}\n")
    return 0
