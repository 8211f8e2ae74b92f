"""API server and clients: what Kubernetes files they model. See the package for the form."""

from __future__ import annotations

MODELS: dict[str, tuple[str, ...]] = {
    "api/access": (
        "pkg/registry/rbac/validation/rule.go",
        "plugin/pkg/auth/authorizer/rbac/rbac.go",
    ),
    "api/addresses": (
        "pkg/registry/core/service/ipallocator/cidrallocator.go",
        "pkg/registry/core/service/ipallocator/interfaces.go",
        "pkg/registry/core/service/ipallocator/ipallocator.go",
        "pkg/registry/core/service/portallocator/allocator.go",
        "pkg/registry/core/service/storage/alloc.go",
    ),
    "api/admission/admission": (
        "pkg/kubeapiserver/options/plugins.go",
        "staging/src/k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go",
    ),
    "api/admission/budgets": ("pkg/registry/core/pod/storage/eviction.go",),
    "api/admission/classes": (
        "plugin/pkg/admission/priority/admission.go",
        "plugin/pkg/admission/runtimeclass/admission.go",
    ),
    "api/admission/definitions": (
        "staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go",
    ),
    "api/admission/mutations": (
        "staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go",
    ),
    "api/admission/namespaces": (
        "pkg/registry/core/namespace/storage/storage.go",
        "staging/src/k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go",
        "staging/src/k8s.io/pod-security-admission/admission/admission.go",
    ),
    "api/admission/plugins": (
        "pkg/kubeapiserver/options/plugins.go",
        "plugin/pkg/admission/defaulttolerationseconds/admission.go",
        "plugin/pkg/admission/limitranger/admission.go",
        "plugin/pkg/admission/priority/admission.go",
        "plugin/pkg/admission/runtimeclass/admission.go",
        "plugin/pkg/admission/serviceaccount/admission.go",
    ),
    "api/admission/policies": (
        "staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go",
        "staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go",
    ),
    "api/admission/quotas": (
        "pkg/controller/resourcequota/resource_quota_controller.go",
        "staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/admission.go",
        "staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go",
    ),
    "api/definitions": (
        "staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go",
        "staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/status_strategy.go",
        "staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go",
    ),
    "api/deletion": (
        "pkg/registry/core/pod/strategy.go",
        "pkg/registry/scheduling/priorityclass/storage/storage.go",
        "staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go",
        "staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go",
    ),
    "api/evictions": ("pkg/registry/core/pod/storage/eviction.go",),
    "api/identity": (
        "staging/src/k8s.io/apiserver/pkg/registry/rest/create.go",
        "staging/src/k8s.io/apiserver/pkg/registry/rest/meta.go",
        "staging/src/k8s.io/apiserver/pkg/storage/names/generate.go",
    ),
    "api/kind_hooks": (
        "pkg/registry/apps/daemonset/strategy.go",
        "staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go",
    ),
    "api/label_keys": ("pkg/registry/core/pod/strategy.go",),
    "api/options": (
        "staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/update.go",
    ),
    "api/patching/field_managers": (
        "staging/src/k8s.io/apimachinery/pkg/util/managedfields/fieldmanager.go",
        "staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/fieldmanager.go",
        "staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/lastappliedmanager.go",
        "staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/lastappliedupdater.go",
        "staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/skipnonapplied.go",
        "staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/stripmeta.go",
        "staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/structuredmerge.go",
        "staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/versioncheck.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/equality.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go",
    ),
    "api/patching/json_patch": ("staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go",),
    "api/patching/patches": (
        "staging/src/k8s.io/apimachinery/pkg/runtime/serializer/json/meta.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go",
    ),
    "api/patching/strategic_merge": (
        "staging/src/k8s.io/apimachinery/pkg/util/mergepatch/errors.go",
        "staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go",
    ),
    "api/patching/three_way_apply": ("staging/src/k8s.io/kubectl/pkg/cmd/apply/patcher.go",),
    "api/patching/three_way_json": ("staging/src/k8s.io/apimachinery/pkg/util/jsonmergepatch/patch.go",),
    "api/patching/three_way_patch": (
        "staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go",
        "staging/src/k8s.io/kubectl/pkg/cmd/apply/patcher.go",
    ),
    "api/requests": (
        "staging/src/k8s.io/apimachinery/pkg/runtime/error.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/namer.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/rest.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/update.go",
        "staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go",
        "staging/src/k8s.io/apiserver/pkg/registry/rest/meta.go",
        "staging/src/k8s.io/apiserver/pkg/registry/rest/update.go",
    ),
    "api/scale_targets": ("staging/src/k8s.io/client-go/scale/client.go",),
    "api/scales": (
        "pkg/registry/apps/deployment/storage/storage.go",
        "pkg/registry/apps/statefulset/storage/storage.go",
        "staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go",
    ),
    "api/server": (
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/delete.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go",
        "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/update.go",
        "staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go",
    ),
    "api/storage": (
        "plugin/pkg/admission/storage/persistentvolume/resize/admission.go",
        "plugin/pkg/admission/storage/storageclass/setdefault/admission.go",
        "plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go",
    ),
    "clients/apply": (
        "staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go",
        "staging/src/k8s.io/kubectl/pkg/cmd/apply/patcher.go",
    ),
    "clients/bind": ("pkg/registry/core/pod/storage/storage.go",),
    "clients/drain": (
        "staging/src/k8s.io/kubectl/pkg/cmd/drain/drain.go",
        "staging/src/k8s.io/kubectl/pkg/drain/drain.go",
    ),
    "clients/drain_pods": ("staging/src/k8s.io/kubectl/pkg/drain/drain.go",),
    "clients/nodes": (
        "staging/src/k8s.io/kubectl/pkg/cmd/taint/taint.go",
        "staging/src/k8s.io/kubectl/pkg/cmd/taint/utils.go",
        "staging/src/k8s.io/kubectl/pkg/drain/cordon.go",
    ),
    "clients/rollout": (
        "staging/src/k8s.io/kubectl/pkg/polymorphichelpers/objectpauser.go",
        "staging/src/k8s.io/kubectl/pkg/polymorphichelpers/objectrestarter.go",
        "staging/src/k8s.io/kubectl/pkg/polymorphichelpers/objectresumer.go",
        "staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go",
    ),
    "clients/set_image": ("staging/src/k8s.io/kubectl/pkg/cmd/set/set_image.go",),
    "clients/upgrade": ("cmd/kubeadm/app/phases/upgrade/policy.go",),
}

OURS: dict[str, str] = {
    "api/admission/recommendations": "other: VPA's admission webhook",
    "api/commands": "glue: commands, and what answers them",
    "api/connections": "world: how pods answer connections, and what a node's kube-proxy knows",
    "api/context": "glue: what every part of the engine is handed",
    "api/first_objects": "speed: what every cluster has from its beginning is looked at by the first alone",
    "api/metrics": "other: the metrics server, and adapters of custom and external metrics",
    "api/payloads": "glue: what the payload of each command may hold",
    "api/services": "speed: Services by address and by port of the nodes",
    "api/template_cache": "speed: what is made again and again of one template is looked at once",
    "api/templates": "speed: the pods of a template share what admission makes of their spec",
    "api/volumes": "speed: claims, volumes and the pods that use them, without a walk",
    "clients/chance": "world: another course of the same world",
    "clients/client": "glue: how a command finds and changes an object",
    "clients/command_table": "glue: which kind of command is whose",
    "clients/drain_state": "glue: what is remembered of drains, as plain data",
    "clients/verbs": "glue: commands that are one request to the API server each",
}
