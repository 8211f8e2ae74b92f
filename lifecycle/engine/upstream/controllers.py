"""Controllers: what Kubernetes files they model. See the package for the form."""

from __future__ import annotations

MODELS: dict[str, tuple[str, ...]] = {
    "controllers/act": ("pkg/controller/controller_utils.go",),
    "controllers/attachments/decide": (
        "pkg/controller/volume/attachdetach/reconciler/reconciler.go",
        "pkg/volume/csi/csi_attacher.go",
        "pkg/volume/util/operationexecutor/operation_generator.go",
    ),
    "controllers/attachments/observe": (
        "pkg/controller/volume/attachdetach/attach_detach_controller.go",
        "pkg/controller/volume/attachdetach/populator/desired_state_of_world_populator.go",
    ),
    "controllers/cluster_roles": (
        "pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go",
    ),
    "controllers/cluster_roles/decide": (
        "pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go",
    ),
    "controllers/cron_job/decide": (
        "pkg/controller/cronjob/cronjob_controllerv2.go",
        "pkg/controller/cronjob/utils.go",
    ),
    "controllers/cron_job/observe": ("pkg/controller/cronjob/cronjob_controllerv2.go",),
    "controllers/daemon_set/decide": ("pkg/controller/daemon/daemon_controller.go",),
    "controllers/daemon_set/decide/history": ("pkg/controller/daemon/update.go",),
    "controllers/daemon_set/decide/node_state": (
        "pkg/controller/daemon/daemon_controller.go",
        "pkg/controller/daemon/update.go",
    ),
    "controllers/daemon_set/decide/plan": (
        "pkg/controller/daemon/daemon_controller.go",
        "pkg/controller/daemon/update.go",
    ),
    "controllers/daemon_set/decide/rollout_status": (
        "staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go",
    ),
    "controllers/daemon_set/decide/sums": (
        "pkg/controller/daemon/daemon_controller.go",
        "pkg/controller/daemon/update.go",
    ),
    "controllers/daemon_set/failed_pods": ("pkg/controller/daemon/daemon_controller.go",),
    "controllers/daemon_set/observe": ("pkg/controller/daemon/daemon_controller.go",),
    "controllers/daemon_set/places": ("pkg/controller/daemon/daemon_controller.go",),
    "controllers/definitions/decide": (
        "staging/src/k8s.io/apiextensions-apiserver/pkg/controller/establish/establishing_controller.go",
        "staging/src/k8s.io/apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go",
        "staging/src/k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go",
    ),
    "controllers/definitions/observe": (
        "staging/src/k8s.io/apiextensions-apiserver/pkg/controller/establish/establishing_controller.go",
        "staging/src/k8s.io/apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go",
        "staging/src/k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go",
    ),
    "controllers/deployment/decide": (
        "pkg/controller/deployment/deployment_controller.go",
        "pkg/controller/deployment/sync.go",
    ),
    "controllers/deployment/decide/progress": (
        "pkg/controller/deployment/progress.go",
        "pkg/controller/deployment/sync.go",
        "pkg/controller/deployment/util/deployment_util.go",
    ),
    "controllers/deployment/decide/reasons": ("pkg/controller/deployment/util/deployment_util.go",),
    "controllers/deployment/decide/recreate": ("pkg/controller/deployment/recreate.go",),
    "controllers/deployment/decide/revisions": (
        "pkg/controller/deployment/rollback.go",
        "pkg/controller/deployment/sync.go",
        "pkg/controller/deployment/util/deployment_util.go",
    ),
    "controllers/deployment/decide/rolling": (
        "pkg/controller/deployment/rolling.go",
        "pkg/controller/deployment/util/deployment_util.go",
    ),
    "controllers/deployment/decide/rollout": ("pkg/controller/deployment/sync.go",),
    "controllers/deployment/decide/rollout_status": (
        "staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go",
    ),
    "controllers/deployment/decide/scaling": (
        "pkg/controller/deployment/sync.go",
        "pkg/controller/deployment/util/deployment_util.go",
    ),
    "controllers/deployment/observe": ("pkg/controller/deployment/deployment_controller.go",),
    "controllers/disruption/decide": ("pkg/controller/disruption/disruption.go",),
    "controllers/disruption/members": ("pkg/controller/disruption/disruption.go",),
    "controllers/disruption/observe": ("pkg/controller/disruption/disruption.go",),
    "controllers/disruption/scales": ("pkg/controller/disruption/disruption.go",),
    "controllers/disruption/stale": ("pkg/controller/disruption/disruption.go",),
    "controllers/endpoints/classic": ("pkg/controller/endpoint/endpoints_controller.go",),
    "controllers/endpoints/decide": ("staging/src/k8s.io/endpointslice/utils.go",),
    "controllers/endpoints/mirror": (
        "pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go",
        "pkg/controller/endpointslicemirroring/reconciler.go",
        "pkg/controller/endpointslicemirroring/utils.go",
    ),
    "controllers/endpoints/observe": (
        "pkg/controller/endpointslice/endpointslice_controller.go",
        "staging/src/k8s.io/endpointslice/util/controller_utils.go",
    ),
    "controllers/endpoints/slices": (
        "staging/src/k8s.io/endpointslice/reconciler.go",
        "staging/src/k8s.io/endpointslice/utils.go",
    ),
    "controllers/ephemeral_volumes/decide": (
        "pkg/controller/volume/ephemeral/controller.go",
        "staging/src/k8s.io/component-helpers/storage/ephemeral/ephemeral.go",
    ),
    "controllers/ephemeral_volumes/observe": ("pkg/controller/volume/ephemeral/controller.go",),
    "controllers/garbage/decide": (
        "pkg/controller/garbagecollector/garbagecollector.go",
        "pkg/controller/garbagecollector/operations.go",
        "pkg/controller/garbagecollector/patch.go",
    ),
    "controllers/garbage/observe": (
        "pkg/controller/garbagecollector/garbagecollector.go",
        "pkg/controller/garbagecollector/graph_builder.go",
    ),
    "controllers/horizontal_pod_autoscaler/decide": ("pkg/controller/podautoscaler/horizontal.go",),
    "controllers/horizontal_pod_autoscaler/decide/calculator": (
        "pkg/controller/podautoscaler/metrics/utilization.go",
        "pkg/controller/podautoscaler/replica_calculator.go",
    ),
    "controllers/horizontal_pod_autoscaler/decide/limits": ("pkg/controller/podautoscaler/horizontal.go",),
    "controllers/horizontal_pod_autoscaler/decide/proposals": (
        "pkg/controller/podautoscaler/horizontal.go",
        "pkg/controller/podautoscaler/replica_calculator.go",
    ),
    "controllers/horizontal_pod_autoscaler/decide/readings": (
        "pkg/controller/podautoscaler/metrics/client.go",
        "pkg/controller/podautoscaler/metrics/utilization.go",
    ),
    "controllers/horizontal_pod_autoscaler/observe": (
        "pkg/controller/podautoscaler/horizontal.go",
        "pkg/controller/podautoscaler/rate_limiters.go",
    ),
    "controllers/horizontal_pod_autoscaler/sight": ("pkg/controller/podautoscaler/metrics/client.go",),
    "controllers/job/decide": ("pkg/controller/job/job_controller.go",),
    "controllers/job/decide/accounting": (
        "pkg/controller/job/job_controller.go",
        "pkg/controller/job/tracking_utils.go",
    ),
    "controllers/job/decide/look": ("pkg/controller/job/job_controller.go",),
    "controllers/job/decide/pods": (
        "pkg/controller/job/indexed_job_utils.go",
        "pkg/controller/job/job_controller.go",
    ),
    "controllers/job/observe": ("pkg/controller/job/job_controller.go",),
    "controllers/job/release": ("pkg/controller/job/job_controller.go",),
    "controllers/load_balancer/decide": (
        "staging/src/k8s.io/cloud-provider/controllers/service/controller.go",
    ),
    "controllers/load_balancer/observe": (
        "staging/src/k8s.io/cloud-provider/controllers/service/controller.go",
    ),
    "controllers/namespaces/decide": (
        "pkg/controller/namespace/deletion/namespaced_resources_deleter.go",
        "pkg/controller/namespace/deletion/status_condition_utils.go",
    ),
    "controllers/namespaces/observe": (
        "pkg/controller/namespace/deletion/namespaced_resources_deleter.go",
        "pkg/controller/namespace/namespace_controller.go",
    ),
    "controllers/node_lifecycle/decide": (
        "pkg/controller/nodelifecycle/node_lifecycle_controller.go",
        "pkg/controller/util/node/controller_utils.go",
    ),
    "controllers/node_lifecycle/observe": ("pkg/controller/nodelifecycle/node_lifecycle_controller.go",),
    "controllers/node_lifecycle/zones": (
        "pkg/controller/nodelifecycle/node_lifecycle_controller.go",
        "pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go",
    ),
    "controllers/node_taints/decide": ("pkg/controller/nodelifecycle/node_lifecycle_controller.go",),
    "controllers/node_taints/observe": ("pkg/controller/nodelifecycle/node_lifecycle_controller.go",),
    "controllers/own_objects/decide": (
        "pkg/controller/certificates/rootcacertpublisher/publisher.go",
        "pkg/controller/serviceaccount/serviceaccounts_controller.go",
    ),
    "controllers/own_objects/observe": (
        "pkg/controller/certificates/rootcacertpublisher/publisher.go",
        "pkg/controller/serviceaccount/serviceaccounts_controller.go",
    ),
    "controllers/owner/controller": ("pkg/controller/controller_utils.go",),
    "controllers/owner/decide": ("pkg/controller/controller_ref_manager.go",),
    "controllers/owner/orphans": ("pkg/controller/controller_ref_manager.go",),
    "controllers/owner/revisions": (
        "pkg/controller/controller_ref_manager.go",
        "pkg/controller/history/controller_history.go",
    ),
    "controllers/pod_garbage/decide": ("pkg/controller/podgc/gc_controller.go",),
    "controllers/pod_garbage/observe": ("pkg/controller/podgc/gc_controller.go",),
    "controllers/quota/decide": ("pkg/controller/resourcequota/resource_quota_controller.go",),
    "controllers/quota/observe": (
        "pkg/controller/resourcequota/resource_quota_controller.go",
        "pkg/controller/resourcequota/resource_quota_monitor.go",
    ),
    "controllers/replica_set/decide": (
        "pkg/controller/replicaset/replica_set.go",
        "pkg/controller/replicaset/replica_set_utils.go",
    ),
    "controllers/replica_set/decide/ranking": (
        "pkg/controller/controller_utils.go",
        "pkg/controller/replicaset/replica_set.go",
    ),
    "controllers/replica_set/observe": ("pkg/controller/replicaset/replica_set.go",),
    "controllers/replication_controller/observe": (
        "pkg/controller/replication/conversion.go",
        "pkg/controller/replication/replication_controller.go",
    ),
    "controllers/stateful_set/claims": ("pkg/controller/statefulset/stateful_set_utils.go",),
    "controllers/stateful_set/decide": ("pkg/controller/statefulset/stateful_set_control.go",),
    "controllers/stateful_set/decide/identity": ("pkg/controller/statefulset/stateful_set_utils.go",),
    "controllers/stateful_set/decide/replicas": (
        "pkg/controller/statefulset/stateful_pod_control.go",
        "pkg/controller/statefulset/stateful_set_control.go",
    ),
    "controllers/stateful_set/decide/retention": (
        "pkg/controller/statefulset/stateful_pod_control.go",
        "pkg/controller/statefulset/stateful_set_utils.go",
    ),
    "controllers/stateful_set/decide/revisions": (
        "pkg/controller/statefulset/stateful_set_control.go",
        "pkg/controller/statefulset/stateful_set_utils.go",
    ),
    "controllers/stateful_set/decide/rollout_status": (
        "staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go",
    ),
    "controllers/stateful_set/decide/status": (
        "pkg/controller/statefulset/stateful_set_control.go",
        "pkg/controller/statefulset/stateful_set_utils.go",
    ),
    "controllers/stateful_set/observe": ("pkg/controller/statefulset/stateful_set.go",),
    "controllers/storage_protection/decide": (
        "pkg/controller/volume/protectionutil/utils.go",
        "pkg/controller/volume/pvcprotection/pvc_protection_controller.go",
        "pkg/controller/volume/pvprotection/pv_protection_controller.go",
    ),
    "controllers/storage_protection/observe": (
        "pkg/controller/volume/pvcprotection/pvc_protection_controller.go",
        "pkg/controller/volume/pvprotection/pv_protection_controller.go",
    ),
    "controllers/taint_eviction/decide": ("pkg/controller/tainteviction/taint_eviction.go",),
    "controllers/taint_eviction/observe": (
        "pkg/controller/tainteviction/taint_eviction.go",
        "pkg/controller/tainteviction/timed_workers.go",
    ),
    "controllers/ttl_after_finished/decide": (
        "pkg/controller/ttlafterfinished/ttlafterfinished_controller.go",
    ),
    "controllers/ttl_after_finished/observe": (
        "pkg/controller/ttlafterfinished/ttlafterfinished_controller.go",
    ),
    "controllers/volume_binder/decide/claims": (
        "pkg/controller/volume/persistentvolume/pv_controller.go",
        "pkg/volume/plugins.go",
    ),
    "controllers/volume_binder/decide/step": ("pkg/controller/volume/persistentvolume/pv_controller.go",),
    "controllers/volume_binder/decide/volumes": (
        "pkg/controller/volume/persistentvolume/pv_controller.go",
        "pkg/volume/hostpath/host_path.go",
    ),
    "controllers/volume_binder/observe": ("pkg/controller/volume/persistentvolume/pv_controller_base.go",),
}

OURS: dict[str, str] = {
    "controllers": "glue: the list of controllers",
    "controllers/daemon_set/nodes": "glue: nodes in the order in which they joined",
    "controllers/horizontal_pod_autoscaler/pods": "speed: pods by their labels, without a walk",
    "controllers/job/decide/seen": "glue: what the decision of a Job is made from",
    "controllers/job/tally": "speed: counts of a Job's pods, kept change by change",
    "controllers/loop_controller": "glue: what all controllers have in common",
    "controllers/made_objects/decide": "other: operators of custom resources",
    "controllers/made_objects/observe": "other: operators of custom resources",
    "controllers/owner/pods": "speed: each write to a pod is followed once for all kinds of owners",
    "controllers/owner/tally": "speed: counts of an owner's pods, kept change by change",
    "controllers/proportional_autoscaler/decide": "other: the cluster proportional autoscalers",
    "controllers/proportional_autoscaler/observe": "other: the cluster proportional autoscalers",
    "controllers/scaled_object/decide": "other: KEDA's operator",
    "controllers/scaled_object/observe": "other: KEDA's operator",
    "controllers/stateful_set/decide/members": "speed: a set's pods by ordinal, counted change by change",
    "controllers/stateful_set/decide/ordinals": "speed: ordinals in order, without a walk",
    "controllers/stateful_set/decide/seen": "glue: what the decision of a StatefulSet is made from",
    "controllers/stateful_set/decide/waiting": "telling: which ordinal a StatefulSet waits for",
    "controllers/storage_driver/decide": "other: the sidecars external-provisioner and external-resizer",
    "controllers/storage_driver/observe": "other: the sidecars external-provisioner and external-resizer",
    "controllers/vertical_autoscaler/decide": "other: VPA's recommender and updater",
    "controllers/vertical_autoscaler/observe": "other: VPA's recommender and updater",
    "controllers/vertical_autoscaler/targets": "other: how VPA's recommender finds its target",
}
