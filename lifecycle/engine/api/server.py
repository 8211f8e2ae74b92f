"""The API server: every write to the objects of a cluster takes the same way.

    read -> decode -> default -> validate -> admit -> store

Each step has a module of its own: requests (read, decode, apply the change), rules (defaults, validation),
identity, addresses, admission, deletion, evictions. Hooks of single kinds are in kind_hooks. A component
writes objects that it has read from the store, so its write goes directly to the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..heart.errors import AlreadyExists, Conflict
from ..kinds.defaults import apply_defaults
from ..kinds.namespace import NAMESPACE
from ..kinds.registry import kind_of_json, read_object
from ..kinds.validation import validate_update
from ..objects.kinds import Kind
from ..objects.meta import ObjectMeta, StoredObject
from ..objects.names import DEFINITION
from ..objects.pods.overlay import overlay_meta
from ..objects.pods.pod import POD_KIND, Pod, PodSpec
from ..rules.actions import DELETE, CreatePod
from ..rules.limits.sizes import measure_bytes, require_storable
from ..rules.validation.words.names import generate
from ..rules.validation.words.refusal import raise_invalid, repeat_as_asked, show_as
from ..schema.decode import as_stored_form
from ..store.store import note_of
from .admission.admission import admit_changed, admit_last, admit_new, admit_pod, ask_policies, mutate
from .admission.namespaces import delete_namespace, require_namespace
from .admission.plugins import annotate
from .context import Context
from .definitions import is_told_of
from .deletion import (
    check_mortal,
    check_preconditions,
    check_propagation,
    delete_object,
    delete_pod,
    finish_deletion,
)
from .identity import identify, name_asked, require_fitting, with_name, with_uid
from .kind_hooks import complete_changed, complete_new, list_companions, list_forerunners, prepare_new
from .label_keys import complete_selectors, overlay_narrowed, with_label_keys
from .options import PLAIN, WriteOptions
from .patching.field_managers import FIELD, FieldManagers, with_managed_fields
from .requests import (
    SCALE,
    as_stored,
    check_address,
    check_structure,
    check_subresource,
    claim,
    decode,
    make_wanted,
    patched,
    read_new,
    refuse_unknown,
    require_applied,
    require_fresh,
)
from .scales import make_scale, with_scale
from .template_cache import CachedTemplate
from .templates import Templates

Json = dict[str, Any]


class ApiServer:
    """Writes to one cluster's store."""

    __slots__ = ("_clock", "_context", "_managers", "_store", "_templates")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._templates = Templates(context)
        self._store = context.store
        self._clock = context.clock
        self._managers = FieldManagers(context)
        context.store.on_tracked = self._managers.ascribe

    # --- create ---------------------------------------------------------------------------------------

    def create_json(
        self,
        data: Json,
        options: WriteOptions = PLAIN,
        entries: list[Json] | None = None,
        cached: CachedTemplate | None = None,
    ) -> StoredObject:
        """Create an object from its JSON, as it was sent. Raises ApiError.

        `entries`: the managers of its fields, where they are known already. `cached`: the template of a
        component's object.
        """
        context = self._context
        like = cached.made if cached is not None and cached.fits(data) else None
        if cached is not None and like is not None:
            sent = data = cached.fill(data)
        else:
            given, sent = data, self.decode(data, options)
            data = context.definitions.make_new(apply_defaults(sent, context.features))
            if cached is not None:
                cached.take(given, data)
        asked = name_asked(data)
        data = with_uid(context, with_name(context, data))
        kind = kind_of_json(data)
        require_namespace(self._store, kind, data["metadata"], asked)
        if entries is None:
            entries = self._managers.after_create(sent, data, options)
        if kind.id == POD_KIND.id:
            data = context.completion.complete_json(data, asked)
        data = mutate(context, data, options)
        if like is None:
            errors = context.definitions.validate_new(data, context.features, options)
            raise_invalid(data, show_as(errors, context.release))
        if kind.id == POD_KIND.id:
            data = complete_selectors(data)
        data = complete_new(context, data)
        if like is None:
            require_storable(measure_bytes([data, entries]))
        new = read_new(data, self._clock.epoch_ms, like)
        if entries:
            with_managed_fields(new, entries)
        created = self._create(new)
        if cached is not None:
            cached.made = created
        # Where nothing is stored, there is nothing for companions to be with.
        for companion in [] if self._store.is_rehearsal else list_companions(created):
            self.create_json(companion, cached=cached and cached.of_companion(companion))
        return created

    def decode(self, data: Json, options: WriteOptions = PLAIN) -> Json:
        """An object as it was sent, read field by field; a custom one pruned and completed by its schema.

        Raises BadRequest naming a field of a wrong type, or, asked to be strict, those nobody knows.
        """
        if options.validation:
            check_structure(data, options, self._context.release)
            data = as_stored_form(data, self._context.release)
        decoded, dropped = self._context.definitions.complete(decode(data, self._context.release))
        if dropped:
            refuse_unknown(data, dropped, options)
        return decoded

    def read(self, data: Json, options: WriteOptions) -> Json:
        """An object of a file, held to its fields as strictly as was asked for. Raises BadRequest, NotFound.

        What did not come by an address has to be of a version that there is.
        """
        if not options.is_request:
            self._context.definitions.require_served(data)
        return self.decode(data, options)

    def kind_of(self, kind: Kind) -> Kind:
        """A kind as its definition has it: its plural and its scope, if somebody defined it."""
        return self._context.definitions.kind_of(kind)

    def create(self, new: StoredObject) -> StoredObject:
        """A component's new object: complete it and store it. Raises Forbidden, AlreadyExists."""
        if isinstance(new, Pod):
            meta, spec = new.meta, new.spec
            raw, told = self._context.completion.complete(spec.raw, meta.namespace or "", new.is_mirror)
            new.spec = spec if raw == spec.raw else PodSpec.from_json(raw)
            if told:
                new.meta = meta.replace(annotations=annotate(meta.annotations, told))
        return self._create(new)

    def _create(self, new: StoredObject) -> StoredObject:
        """Give a complete object its identity, and store it."""
        for forerunner in list_forerunners(self._context, new):
            self.create_json(forerunner)
        self._context.definitions.identify(new)
        identify(self._context, new)
        prepare_new(self._context, new)
        if isinstance(new, Pod):
            new.status = self._templates.make_status(new.spec)
        admit_new(self._context, new)
        return self._store.create(new)

    def create_pod(self, action: CreatePod) -> Pod:
        """Make a pod from a template: the hot path. Its template was defaulted and checked with its owner.

        Raises AlreadyExists when another pod has the name that was given, Invalid, Forbidden.
        """
        template, owner = action.template, action.owner.meta
        store = self._store
        number = store.creations.get(owner.uid, 0) + 1
        store.creations[owner.uid] = number
        uid, suffix = self._context.chance.uid_and_suffix(owner.uid, number)
        spec = self._templates.admit(template.spec, owner)
        told = spec.notes.limited
        spec, recommended = self._context.recommendations.apply(spec, owner.namespace or "", template.labels)
        meta = ObjectMeta(
            action.name or generate(action.generate_name, suffix),
            owner.namespace,
            uid,
            template.labels,
            annotate(template.annotations, told) if told else template.annotations,
            (action.reference,),
            self._clock.now_ms,
            action.generate_name,
            template.finalizers,
            generation=1,
        )
        if recommended:
            meta = meta.replace(annotations={**meta.annotations, **recommended})
        if action.overlay is not None:
            require_fitting(meta, action.overlay)
            meta = overlay_meta(meta, action.overlay)
            spec = overlay_narrowed(spec, action.overlay, meta.labels)
        else:
            spec = with_label_keys(spec, meta.labels)
        admit_pod(self._context, spec, meta, action.name or action.generate_name)
        status = spec.notes.new_status or self._templates.make_status(spec)
        pod = Pod(POD_KIND, meta, spec, status, node_name=template.node_name)
        admit_last(self._context, pod)
        try:
            store.create(pod)
        except AlreadyExists:
            if action.name:
                raise
            # One name in fourteen million; the next number gives another.
            return self.create_pod(action)
        return pod

    # --- update ---------------------------------------------------------------------------------------

    def update_json(
        self,
        old: StoredObject,
        data: Json,
        subresource: str | None = None,
        options: WriteOptions = PLAIN,
        entries: list[Json] | None = None,
    ) -> StoredObject:
        """Replace an object, or what a subresource shows of it, by new JSON. Raises ApiError.

        A write that changes nothing is no version. `entries`: the managers of its fields, where known.
        """
        context, definitions, epoch_ms = self._context, self._context.definitions, self._clock.epoch_ms
        current, data = map(definitions.in_stored_version, (old.to_json(epoch_ms), data))
        data, size = as_stored(current, data, context.release), definitions.find_replicas_path(current)
        check_address(current, data, subresource, size)
        given = (data.get("metadata") or {}).get(FIELD)
        if subresource != SCALE:
            data, _dropped = definitions.complete(decode(data, context.release))
        require_fresh(old, data)
        tracked = current["metadata"].pop(FIELD, None)
        has_status = definitions.has_status(current)
        wanted = make_wanted(current, data, subresource, context.features, size, has_status)
        wanted = mutate(context, definitions.place(wanted), options, subresource or "")
        errors = validate_update(current, wanted, subresource or "", context.features)
        errors = repeat_as_asked(errors) + definitions.validate(wanted, options, current, subresource)
        raise_invalid(wanted, show_as(errors, context.release))
        if entries is None:
            claimed = claim(wanted, data, subresource)
            entries = self._managers.after_update(old, claimed, given, options, subresource or "")
        wanted = complete_changed(context, old, wanted)
        new = read_object(wanted, epoch_ms)
        definitions.identify(new)
        admit_changed(context, old, new, subresource or "")
        if (wanted, entries or None, current["apiVersion"]) == (current, tracked, old.kind.api_version):
            return old
        require_storable(measure_bytes([wanted, entries]))
        with_managed_fields(new, entries)
        is_changed = definitions.is_spec_new(current, wanted)
        is_counted = is_changed or (not subresource and is_told_of(current, wanted))
        return self._put(old, new, is_changed, is_counted)

    def patch(
        self,
        old: StoredObject,
        patch: Any,
        how: str,
        subresource: str | None = None,
        options: WriteOptions = PLAIN,
    ) -> StoredObject:
        """Change an object by a patch: `how` is json, merge or strategic. Raises ApiError."""
        definitions, release = self._context.definitions, self._context.release
        current = definitions.in_stored_version(old.to_json(self._clock.epoch_ms))
        size = definitions.find_replicas_path(current)
        check_subresource(current, subresource, size)
        if subresource == SCALE:
            scale = patched(make_scale(current, size), patch, how, options, release=release)
            changed = with_scale(current, scale)
        else:
            changed = patched(current, patch, how, options, definitions.find_dropped, release=release)
        return self.update_json(old, changed, subresource, options)

    def apply(
        self, old: StoredObject | None, target: Json, patch: Any, subresource: str, options: WriteOptions
    ) -> StoredObject:
        """Server-side apply: create an object, or change it and the managers of its fields. Raises ApiError.

        `target`: apiVersion, kind and metadata.name and namespace that the request is sent to.
        """
        require_applied(old, target, patch)
        if old is None:
            data, entries = self._managers.apply(target, patch, options, "", is_new=True)
            return self.create_json(data, options, entries)
        definitions, live = self._context.definitions, old.to_json(self._clock.epoch_ms)
        current, patch = map(definitions.in_stored_version, (live, patch))
        check_subresource(current, subresource or None, definitions.find_replicas_path(current))
        if subresource == SCALE:
            data, entries = self._managers.apply_scale(current, patch, options)
        else:
            data, entries = self._managers.apply(current, patch, options, subresource)
        return self.update_json(old, data, subresource or None, options, entries)

    def _put(self, old: StoredObject, new: StoredObject, is_changed: bool, is_counted: bool) -> StoredObject:
        """Store a client's change: of the metadata only what is a client's, and the generation if counted."""
        meta = old.meta
        new.meta = meta.replace(
            labels=new.meta.labels,
            annotations=new.meta.annotations,
            finalizers=new.meta.finalizers,
            owner_references=new.meta.owner_references,
            extra=new.meta.extra,
            generation=meta.generation + 1 if is_counted and meta.generation else meta.generation,
        )
        new.extra = new.extra or None
        if not is_changed:
            new.spec = old.spec
        if isinstance(new, Pod) and isinstance(old, Pod):
            new.node_name = old.node_name or new.node_name
        self._store.update(old, new)
        return finish_deletion(self._context, new)

    def update(self, new: StoredObject) -> StoredObject:
        """A component's own write, made from what is stored. A changed spec raises the generation."""
        old = self._store.find(new.meta.uid)
        if old is None:
            kind, namespace, name = new.key
            self._store.require(kind, namespace, name)
            raise Conflict(f"{kind} {namespace}/{name}: another object has taken the name", kind, name)
        if new.spec is not old.spec and not isinstance(new, Pod):
            new.meta = new.meta.replace(generation=old.meta.generation and old.meta.generation + 1)
        self._store.update(old, new)
        return finish_deletion(self._context, new)

    def remove_finalizer(self, pod: Pod, finalizer: str) -> None:
        """Take a finalizer off a pod, whatever has become of it since it was looked at."""
        old = self._store.pods.get(pod.meta.uid)
        if old is None or finalizer not in old.meta.finalizers:
            return
        kept = tuple([one for one in old.meta.finalizers if one != finalizer])
        new = old.with_meta(old.meta.with_finalizers(kept))
        self._store.update_as_known(old, new, (), old.shown, note_of(new))
        if new.meta.deletion_ms is not None:
            finish_deletion(self._context, new)

    # --- delete ---------------------------------------------------------------------------------------

    def delete(
        self,
        old: StoredObject,
        *,
        grace_seconds: int | None = None,
        propagation: str | None = None,
        has_options: bool = True,
        preconditions: Mapping[str, str] | None = None,
    ) -> StoredObject:
        """Delete an object. Pods go gracefully; finalizers keep an object until they are gone.

        Returns the object as it is now, or as it last was. Raises BadRequest for an unknown propagation, and
        Conflict when a precondition (`uid`, `resourceVersion`) does not hold.
        """
        from .admission.definitions import delete_definition

        check_propagation(propagation)
        check_mortal(old)
        if preconditions:
            check_preconditions(old, preconditions)
        ask_policies(self._context, DELETE, None, old)
        if isinstance(old, Pod):
            return delete_pod(self._context, old, grace_seconds, has_options, propagation)
        if old.kind.id == NAMESPACE.kind.id:
            return delete_namespace(self._context, old)
        if old.kind.id == DEFINITION:
            return delete_definition(self._context, old)
        return delete_object(self._context, old, propagation)

    def delete_pod(self, pod: Pod, requested: int | None = None, has_options: bool = True) -> Pod:
        """Delete a pod gracefully; `requested` seconds, or its own period."""
        return delete_pod(self._context, pod, requested, has_options)

    def evict(
        self,
        pod: Pod,
        grace_seconds: int | None = None,
        preconditions: Mapping[str, str] | None = None,
        is_dry_run: bool = False,
    ) -> Pod:
        """Delete a pod by the eviction API. Raises ApiError as `evict_pod` does."""
        from .evictions import evict_pod

        return evict_pod(self._context, pod, grace_seconds, preconditions, is_dry_run)
