"""exec and attach, whatever their bytes travel by: what a client says goes to the cluster, answers come back.

A command whose input stays open is a session of the engine: each piece of input is a command to the cluster,
and what it has written by then is its answer. The end of the connection is the end of the input; what was
written before is carried out, as on a node.
"""

from __future__ import annotations

import asyncio
import codecs
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from lifecycle import limits, threads
from lifecycle.kube_api.access.authentication import Right
from lifecycle.kube_api.containers import archives, choice, logs, streams
from lifecycle.kube_api.containers.inlet import Inlet
from lifecycle.kube_api.containers.log_options import LogOptions
from lifecycle.kube_api.containers.logs import Log
from lifecycle.kube_api.containers.streams import Streamed
from lifecycle.kube_api.containers.terminal import Terminal, Typed
from lifecycle.kube_api.status import Refusal, exceeded, unauthorized
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from lifecycle.runs.container_logs import Position
from lifecycle.threads import reading as in_thread

log = logging.getLogger(__name__)

OUTPUT, ERRORS = "stdout", "stderr"
WAIT_SECONDS, COPY_SECONDS = 30.0, 60.0
GATHER_SECONDS = 0.03
"""Pieces that follow each other so soon go together."""
IDLE_SECONDS, LOOK_SECONDS = 4 * 3600.0, 30.0
"""Who says nothing for so long is let go (the kubelet's streamingConnectionIdleTimeout); so often somebody
looks whether they may still ask."""
SUCCESS: dict[str, Any] = {"metadata": {}, "status": "Success"}
Write = Callable[[str, bytes], Awaitable[None]]
"""Sends bytes to the client, on the stream of that name."""
_KILLED = 137
_MOST_NESTED = 10
"""A hang-up ends so many programs inside each other."""


class Carrying:
    """One exec or attach: `carry_out` gives the status that it ends with."""

    write: Write
    is_gone = False
    """The client hears nothing more."""
    is_over = False
    """The container has ended."""
    problem = ""
    """Why nothing more of the input is taken."""

    def __init__(self, asked: Streamed, right: Right, cluster: Cluster, user: Any) -> None:
        self.asked, self.right, self.cluster, self.user = asked, right, cluster, user
        self.inlet = Inlet()

    async def carry_out(self) -> dict[str, Any]:
        """Do what is asked, until it ends."""
        if self.asked.problem:
            return _internal_error(f"unable to upgrade connection: {self.asked.problem}")
        try:
            if self.asked.action == streams.ATTACH:
                return await self._attach()
            return await self._exec()
        except Refusal as refusal:
            return refusal.to_status()

    async def _exec(self) -> dict[str, Any]:
        asked = self.asked
        tar = archives.read(asked.command)
        if tar is not None:
            return await self._copy(tar)
        if not asked.has_input:
            return await self._tell(await self._run_once(asked.command))
        return await self._while_it_runs(self._converse_at_terminal if asked.is_terminal else self._converse)

    async def _while_it_runs(self, converse: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        """A command that waits for its input is killed when its container ends, as on a node."""
        options = LogOptions(container=self.asked.container)
        run = await in_thread(logs.find)(self.cluster, self.asked.pod, options, self.right)
        if run is None:
            return await converse()
        watching = asyncio.ensure_future(run.wait_until_over())
        watching.add_done_callback(self._hear_of_the_end)
        try:
            return await converse()
        finally:
            watching.cancel()

    def _hear_of_the_end(self, watching: asyncio.Future[None]) -> None:
        if watching.cancelled():
            return
        if (problem := watching.exception()) is not None:
            log.warning("the end of a container is not watched: %s", problem)
            return
        self.is_over = True
        self.inlet.end()

    async def _run_once(self, words: list[str]) -> dict[str, Any]:
        found: dict[str, Any] = await threads.waiting(self._run)(words, {})
        return found

    # --- a command that goes on reading -------------------------------------------------------------------

    async def _converse(self) -> dict[str, Any]:
        session, decoder = _Session(), codecs.getincrementaldecoder("utf-8")("replace")
        # Mostly the input stands ready, or is all there is: then it goes with the beginning.
        await self.inlet.wait(GATHER_SECONDS)
        while True:
            await self.inlet.gather(GATHER_SECONDS)
            has_ended, data = self._take()
            if self.is_over:
                return _exit_status(self.asked.command, _KILLED)
            status = await self._say(session, Typed(decoder.decode(data, has_ended), has_ended))
            if status is not None or has_ended:
                return status or _exit_status(self.asked.command, _KILLED)
            await self._wait_for_input()

    async def _converse_at_terminal(self) -> dict[str, Any]:
        session, terminal = _Session(), Terminal()
        status = await self._say(session, Typed())
        while status is None:
            await self._wait_for_input()
            has_ended, data = self._take()
            if self.is_over:
                break
            # Each end of an input ends one program at most, a hang-up all of them.
            ends = [Typed(is_end=True)] * (_MOST_NESTED if has_ended else 0)
            for typed in [*terminal.type(data), *ends]:
                await self._show(terminal.take_shown())
                status = await self._say(session, typed)
                if status is not None:
                    return status
            await self._show(terminal.take_shown())
            if has_ended:
                break
        return status or _exit_status(self.asked.command, _KILLED)

    async def _wait_for_input(self) -> None:
        """Until there is some. Raises Refusal where nobody may ask any more; silence ends the input."""
        deadline = time.monotonic() + IDLE_SECONDS
        while not await self.inlet.wait(LOOK_SECONDS):
            if time.monotonic() > deadline:
                self.inlet.end()
            elif not await in_thread(self.right)():
                raise unauthorized()
        if not await in_thread(self.right)():
            raise unauthorized()

    def _take(self) -> tuple[bool, bytes]:
        """Whether the input has ended, and what there is of it. Raises Refusal for too much of it."""
        has_ended, data = self.inlet.has_ended, self.inlet.take()
        if self.problem:
            raise Refusal(413, self.problem, "RequestEntityTooLarge")
        return has_ended, data

    async def _say(self, session: _Session, typed: Typed) -> dict[str, Any] | None:
        """Hand something on to the command; gives its status when it has ended."""
        said = session.make_payload(typed, self.asked.is_terminal)
        result = await threads.waiting(self._run)(self.asked.command, said)
        found = result["object"]
        if found is None or found["problem"] or found["exitCode"] is not None:
            return await self._tell(result)
        await self._tell_streams(found)
        return None

    # --- answers ------------------------------------------------------------------------------------------

    async def _tell(self, result: dict[str, Any]) -> dict[str, Any]:
        """Send what a command wrote; gives the status it ended with."""
        if result["object"] is None:
            status: dict[str, Any] = result["status"]
            return status
        found = result["object"]
        if found["problem"]:
            # The kubelet calls it an internal error, and the API server, which passes it on, does so again.
            return _internal_error(f"Internal error occurred: {found['problem']}")
        await self._tell_streams(found)
        return _exit_status(self.asked.command, found["exitCode"])

    async def _tell_streams(self, found: dict[str, Any]) -> None:
        if not self.asked.is_terminal:
            await self._send(OUTPUT, found["stdout"], self.asked.wants_output)
            await self._send(ERRORS, found["stderr"], self.asked.wants_errors)
            return
        # The prompt stands in the last line, behind everything that is said.
        head, end, prompt = found["stdout"].rpartition("\n")
        await self._show(f"{head}{end}{found['stderr']}{prompt}")

    async def _show(self, text: str) -> None:
        await self._send(OUTPUT, text.replace("\n", "\r\n"), self.asked.wants_output)

    async def _send(self, stream: str, text: str, is_wanted: bool) -> None:
        if text and is_wanted:
            await self.write(stream, text.encode("utf-8", "replace"))

    # --- tar ----------------------------------------------------------------------------------------------

    async def _copy(self, tar: archives.Tar) -> dict[str, Any]:
        given = b""
        if tar.is_extraction and self.asked.has_input:
            given = await self._read_archive(tar)
        deadline = time.monotonic() + COPY_SECONDS

        def run(command: list[str], text: str) -> dict[str, Any]:
            if time.monotonic() > deadline:
                raise Refusal(504, f"not copied within {COPY_SECONDS:g} seconds", "Timeout", {})
            result = self._run(command, {"stdin": text} if text else {})
            if result["object"] is None:
                raise Refusal.of_status(result["status"])
            found: dict[str, Any] = result["object"]
            return found | ({"exitCode": 126, "stderr": found["problem"]} if found["problem"] else {})

        done = await threads.waiting(archives.carry_out)(tar, run, given)
        if done.output and self.asked.wants_output:
            await self.write(OUTPUT, done.output)
        await self._send(ERRORS, done.errors, self.asked.wants_errors)
        return _exit_status(self.asked.command, done.code)

    async def _read_archive(self, tar: archives.Tar) -> bytes:
        """All of it: some clients never say that their input has ended, but an archive does."""
        given, ending = bytearray(), archives.Ending(tar)
        while True:
            has_ended, data = self._take()
            given += data
            # One that is longer than what is copied at once is refused, and need not be read to its end.
            if ending.comes_with(data) or has_ended or len(given) > archives.MOST_UNZIPPED:
                return bytes(given)
            await self._wait_for_input()

    # --- the cluster --------------------------------------------------------------------------------------

    def _run(self, words: list[str], more: dict[str, Any]) -> dict[str, Any]:
        """What the cluster answers to a command. In a thread, for as long as that takes. Raises Refusal."""
        pod = self.asked.pod
        payload = {
            "namespace": pod.namespace,
            "pod": pod.name,
            "container": self.asked.container,
            "command": words,
        }
        # No text of a command has that sign, and no terminal hands it on.
        more |= {"stdin": more["stdin"].replace("\0", "")} if "stdin" in more else {}
        return ask(self.cluster, "exec", payload | more, self.user)

    async def _attach(self) -> dict[str, Any]:
        """What the container writes from now on, until it ends; and what is written to it."""
        options = LogOptions(container=self.asked.container, follow=True)
        log = await in_thread(logs.find)(self.cluster, self.asked.pod, options, self.right)
        if log is None:
            return SUCCESS
        # Before anything is written to it, so that nothing of the answer is missed.
        _, now = await in_thread(log.read)(Position())
        following = asyncio.ensure_future(self._follow(log, now))
        try:
            if self.asked.has_input and (problem := await self._write_to_main(following)):
                return _internal_error(problem)
            # The end of the input ends the program, or else nothing; who has gone hears no more.
            await asyncio.wait({following}, timeout=LOOK_SECONDS if self.is_gone else None)
            return SUCCESS
        finally:
            following.cancel()

    async def _write_to_main(self, following: asyncio.Future[None]) -> str:
        """Hand on what is written to the main program, while it runs. Why that cannot be, or ""."""
        terminal, decoder = Terminal(), codecs.getincrementaldecoder("utf-8")("replace")
        following.add_done_callback(lambda _: self.inlet.end())
        while True:
            await self._wait_for_input()
            has_ended, data = self._take()
            typed = [Typed(decoder.decode(data, has_ended))] if not self.asked.is_terminal else []
            for one in typed or terminal.type(data):
                await self._show(terminal.take_shown())
                if one != Typed() and (problem := await self._attach_once(one)):
                    return problem
            await self._show(terminal.take_shown())
            if has_ended:
                # A program that is to be attached to once has no input after that.
                is_once = choice.is_read_once(self.asked.pod, self.asked.container)
                return await self._attach_once(Typed(is_end=True)) if is_once else ""

    async def _attach_once(self, typed: Typed) -> str:
        flags = _Session().make_payload(typed, self.asked.is_terminal)
        found = await threads.waiting(self._run)(["attach"], {**flags, "isAttached": True})
        # What has ended meanwhile reads no more, and its log says all there is to say.
        return str(found["object"]["problem"]) if found["object"] is not None else ""

    async def _follow(self, log: Log, now: Position) -> None:
        async for part in log.follow(now):
            text = part.decode("utf-8", "replace")
            if self.asked.is_terminal:
                await self._show(text)
            else:
                await self._send(OUTPUT, text, self.asked.wants_output)


class _Session:
    """One command of the engine that goes on reading."""

    def __init__(self) -> None:
        self._key = uuid4().hex
        self._is_first = True

    def make_payload(self, typed: Typed, is_terminal: bool) -> dict[str, Any]:
        """What is said to it next."""
        flags = {
            "isFirst": self._is_first,
            "isEnd": typed.is_end,
            "isInterrupt": typed.is_interrupt,
            "isTerminal": is_terminal,
        }
        self._is_first = False
        return {
            "session": self._key,
            "stdin": typed.text,
            **{name: True for name, is_so in flags.items() if is_so},
        }


def ask(cluster: Cluster, kind: str, payload: dict[str, Any], user: Any) -> dict[str, Any]:
    """What the cluster answers to a command. In a thread, for as long as that takes. Raises Refusal."""
    try:
        command = inbox.append(cluster, kind, payload, user)
    except inbox.Refused as problem:
        raise Refusal(503, str(problem), "ServiceUnavailable", {}) from None
    except limits.Exceeded as excess:
        raise exceeded(excess) from None
    result = inbox.wait_for_result(command, WAIT_SECONDS)
    if result is None:
        raise Refusal(504, f"no answer within {WAIT_SECONDS:g} seconds", "Timeout", {})
    return result


def _exit_status(command: list[str], code: int) -> dict[str, Any]:
    if code == 0:
        return SUCCESS
    said = f"error executing command [{' '.join(command)}], exit code {code}"
    causes = [{"reason": "ExitCode", "message": str(code)}]
    return _failure(f"command terminated with non-zero exit code: {said}", None, "NonZeroExitCode", causes)


def _internal_error(problem: str) -> dict[str, Any]:
    return _failure(f"Internal error occurred: {problem}", 500, "InternalError")


def _failure(
    message: str, code: int | None, reason: str = "", causes: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    status: dict[str, Any] = {"metadata": {}, "status": "Failure", "message": message}
    status |= {"reason": reason} if reason else {}
    status |= {"details": {"causes": causes}} if causes else {}
    return status | ({"code": code} if code else {})
