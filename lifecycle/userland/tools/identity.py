"""Who and where: the user, its groups, the host and its system."""

from __future__ import annotations

from .call import Call, Outcome
from .registry import tool


@tool("hostname", "uname", "arch")
def hostname(call: Call) -> Outcome:
    """`hostname`, `uname` and `arch`: what the system calls itself."""
    pod = call.world.pod
    if call.name == "hostname":
        texts = {
            "-i": pod.ip,
            "-I": pod.ip + " ",
            "-d": pod.domain,
            "-f": pod.full_host,
            "-s": pod.host.partition(".")[0],
        }
        call.out(texts.get("".join(call.arguments), pod.host) + "\n")
        return 0
    option = "m" if call.name == "arch" else "".join(call.arguments).strip("-") or "s"
    values = {"s": "Linux", "n": pod.host, "r": "6.6.0", "v": "#1 SMP", "m": "x86_64", "o": "GNU/Linux"}
    letters = "snrvmo" if "a" in option else option
    call.out(" ".join(values.get(letter, "Linux") for letter in letters) + "\n")
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
