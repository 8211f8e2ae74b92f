"""The `httpd` of busybox: it serves the files of a folder, and listens as soon as it runs."""

from __future__ import annotations

from ..file_layers import FOLDER, File
from ..file_system import FileSystem
from ..file_view import join_path
from ..shell.reading.options import split_options
from ..shell.task import Wait
from .call import Call, Outcome
from .registry import tool
from .servers import SERVERS, is_taken, serve

HOME = "home"
"""Where a server's state keeps the folder it serves."""
_OF_BUSYBOX = frozenset("pfh")


def find_served(files: FileSystem, home: str, path: str) -> File | None:
    """The file that answers a request, for a folder its index; None where that is a 404."""
    place = join_path(home, join_path("/", path.partition("?")[0])[1:])
    found = files.find(place)
    if found is not None and found.kind == FOLDER:
        found = files.find(join_path(place, "index.html"))
    return found


@tool("httpd")
def httpd(call: Call) -> Outcome:
    """Busybox' server where its options are used, else Apache's. Without -f it goes on in the background."""
    options, _ = split_options(call.arguments, "cdherpumDkCE")
    if not _OF_BUSYBOX & options.keys():
        return serve(call, SERVERS["httpd-foreground"])
    if call.task.ports:
        return Wait(Wait.SIGNAL)
    home = call.path(options.get("h", "."))
    if not call.is_folder(home):
        return call.fail(f"can't change directory to '{options.get('h')}': No such file or directory")
    port = options.get("p", "80").rpartition(":")[2]
    if not port.isdigit() or len(port) > 5:
        return call.fail(f"bad address '{options['p']}'")
    if is_taken(call, int(port)):
        return call.fail("bind: Address already in use")
    server = call.task if "f" in options else call.start_child(call.task.arguments)
    server.state[HOME] = home
    server.ports = [int(port)]
    call.machine.changes += 1
    return Wait(Wait.SIGNAL) if server is call.task else 0
