"""The look at one key that all controllers of owners share: claim, see, decide, act, ask to look again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Generic, TypeVar

from ...api.admission.namespaces import is_namespace_ending
from ...api.context import Context
from ...heart.errors import ApiError
from ...objects.meta import Key, StoredObject
from ...objects.selector import Selector
from ...rules.actions import Action, Create, CreateJson, CreatePod, Decision, DeletePod, Refusal, Tried
from ..act import Act
from ..loop_controller import LoopController
from .decide import decide_claims
from .orphans import ListFree, Orphans
from .revisions import Revisions

Owner = TypeVar("Owner", bound=StoredObject)
_MAY_BE_REFUSED = (CreatePod, Create, CreateJson)


class OwnerController(LoopController, Generic[Owner]):
    """Keys are owners. What a look writes brings a further one only where it failed.

    As its own watch tells a controller of each write, a failing look is followed by one more at once, which
    makes the next wait longer, though the wait that was begun stays as it is.
    """

    owner_class: type[Owner]
    gathers = "controller_sync"
    adopts_with: tuple[str, ...] = ()
    """Finalizers that a dependent gets with the owner, and loses with it."""
    most_retries: int | None = None
    """How often a failing key is tried again before it waits for a change; None: for ever."""
    revisions: Revisions | None = None
    """The ControllerRevisions of owners that have some."""

    def __init__(self, context: Context, act: Act, list_free: ListFree) -> None:
        """`list_free` names the objects that an owner may adopt when it comes up."""
        super().__init__(context, act)
        self._orphans = Orphans(context.store.find, list_free)
        self._busy: Key | None = None
        self._is_woken = False
        context.store.listen(self.kind, self._on_owner)

    # --- what a kind of owner says --------------------------------------------------------------------

    @abstractmethod
    def selector_of(self, owner: Owner) -> Selector:
        """Whom the owner looks for."""

    def describe(self, owner: Owner) -> None:
        """Take in a new owner, or a changed spec."""

    def forget(self, uid: str) -> None:
        """Drop what is known of an owner that is gone."""

    @abstractmethod
    def list_strays(self, owner: Owner) -> Sequence[StoredObject]:
        """Dependents of the owner that may match its selector no more."""

    def belongs(self, owner: Owner, dependent: StoredObject) -> bool:
        """Whether an object that the owner selects is one that it would have made."""
        return True

    @abstractmethod
    def decide(self, owner: Owner, tried: Tried) -> Decision:
        """See what the owner's decision needs, and have it made. `tried`: what this look did so far."""

    # --- what a change can affect -----------------------------------------------------------------------

    def restore(self) -> None:
        """Build what is derived again, after a cluster was loaded."""
        if self.revisions is not None:
            self.revisions.restore()
        for owner in self._store.list(self.kind):
            assert isinstance(owner, self.owner_class), owner.key
            self._file(owner)

    def _file(self, owner: Owner) -> None:
        self.describe(owner)
        self._orphans.file(owner, self.selector_of(owner))
        if self.revisions is not None:
            self.revisions.file(owner, self.selector_of(owner))

    def _on_owner(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._orphans.forget(old.meta.uid)
            if self.revisions is not None:
                self.revisions.forget(old.meta.uid)
            self.forget(old.meta.uid)
            # The look that its end asks for finds nobody, and goes well.
            self._context.loop.forget(self.name, old.meta.namespace or "", old.meta.name)
            return
        assert isinstance(new, self.owner_class), new.key
        if self._is_busy(new.key):
            return
        if old is None:
            self._file(new)
        elif old.spec is not new.spec:
            assert isinstance(old, self.owner_class), old.key
            looks_alike = self.selector_of(old).raw == self.selector_of(new).raw
            (self.describe if looks_alike else self._file)(new)
        self.enqueue(new.meta.namespace or "", new.meta.name)

    def _is_busy(self, key: Key) -> bool:
        """Whether a change is of the owner's that is looked at now: then the look knows it."""
        is_busy = key == self._busy
        self._is_woken |= is_busy
        return is_busy

    def note_orphan(self, free: StoredObject) -> None:
        """An object that nobody controls is new or has changed: who may adopt it looks at it."""
        for name in self._orphans.note(free):
            self.enqueue(free.meta.namespace or "", name)

    def enqueue(self, namespace: str, name: str) -> None:
        """Look at an owner soon."""
        self._context.loop.enqueue(self.name, namespace, name)

    # --- a look at one key ------------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """Claim dependents, take one step, and ask for the next look."""
        owner = self.find(namespace, name)
        if isinstance(owner, self.owner_class):
            self._look_at(owner, namespace, name)

    def _look_at(self, owner: Owner, namespace: str, name: str) -> None:
        self._busy, self._is_woken = owner.key, False
        try:
            self._claim(owner)
            decision = self._step(owner)
        except ApiError as refusal:
            if not refusal.is_by_policy:
                raise
            # Whatever it was about to do: its queue tries it again.
            decision = Decision(is_failure=True)
        finally:
            self._busy = None
        self._ask_again(namespace, name, decision)

    def _claim(self, owner: Owner) -> None:
        selector, revisions = self.selector_of(owner), self.revisions
        if revisions is not None:
            free, strays = revisions.take_free(owner), revisions.list_strays(owner)
            if free or strays:
                self._do(decide_claims(owner, selector, free, strays))
        orphans, gone = self._orphans.take(owner.meta.uid), self.list_strays(owner)
        if orphans or gone:
            belongs = partial(self.belongs, owner)
            self._do(decide_claims(owner, selector, orphans, gone, belongs, self.adopts_with))

    def _step(self, owner: Owner) -> Decision:
        """Decide and act until the decision is whole; a refusal asks for another one."""
        tried = Tried()
        while True:
            decision = self.decide(owner, tried)
            before, tried = tried, self._try(decision.actions, tried)
            if not decision.goes_on and len(tried.refusals) == len(before.refusals):
                return decision

    def _try(self, actions: Sequence[Action], tried: Tried) -> Tried:
        """Do actions in order. What follows a refused object builds on it; pods are made apart."""
        if not actions:
            return tried
        calls, refusals, deletions = tried.calls, tried.refusals, tried.deletions
        for action in actions:
            what = type(action)
            if what is CreatePod:
                calls += 1
            elif what is DeletePod:
                calls, deletions = calls + 1, deletions + 1
            try:
                self._act(action)
            except ApiError as refusal:
                if not isinstance(action, _MAY_BE_REFUSED):
                    raise
                refusals = (*refusals, Refusal(action, refusal.message, is_namespace_ending(refusal)))
                if what is Create:
                    break
        return Tried(calls, refusals, deletions)

    def _ask_again(self, namespace: str, name: str, decision: Decision) -> None:
        loop = self._context.loop
        if decision.recheck_at_ms is not None:
            loop.enqueue_at(self.name, namespace, name, decision.recheck_at_ms)
        if decision.is_failure and not self._is_given_up(namespace, name):
            loop.retry(self.name, namespace, name)
            if self._is_woken:
                loop.enqueue(self.name, namespace, name)
            return
        loop.forget(self.name, namespace, name)
        if decision.is_unfinished:
            loop.enqueue(self.name, namespace, name)

    def _is_given_up(self, namespace: str, name: str) -> bool:
        """Whether a failing key was tried again as often as the kind does."""
        retries = self._context.loop.count_retries(self.name, namespace, name)
        return self.most_retries is not None and retries >= self.most_retries
