"""Versions of kinds that are deprecated: since when, how long served, and what stands for them.

By apiVersion and kind `deprecated removed replacement`, `-` where Kubernetes' source does not say. Generated
by `manage.py generate_lifecycles` from that source: change that, not this.
"""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

LIFECYCLES: dict[str, dict[str, str]] = {
    "admission.k8s.io/v1beta1": {"AdmissionReview": "v1.19 v1.22 admission.k8s.io/v1/AdmissionReview"},
    "admissionregistration.k8s.io/v1alpha1": {"MutatingAdmissionPolicy": "v1.35 v1.38 -", "MutatingAdmissionPolicyBinding": "v1.35 v1.38 -", "ValidatingAdmissionPolicy": "v1.29 v1.32 -", "ValidatingAdmissionPolicyBinding": "v1.29 v1.32 -"},
    "admissionregistration.k8s.io/v1beta1": {"MutatingAdmissionPolicy": "v1.37 v1.40 admissionregistration.k8s.io/v1/MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding": "v1.37 v1.40 admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration": "v1.16 v1.22 admissionregistration.k8s.io/v1/MutatingWebhookConfiguration", "ValidatingAdmissionPolicy": "v1.31 v1.34 -", "ValidatingAdmissionPolicyBinding": "v1.31 v1.34 -", "ValidatingWebhookConfiguration": "v1.16 v1.22 admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration"},
    "apidiscovery.k8s.io/v2beta1": {"APIGroupDiscovery": "v1.32 v1.35 -"},
    "apiextensions.k8s.io/v1beta1": {"ConversionReview": "v1.19 v1.22 apiextensions.k8s.io/v1/ConversionReview", "CustomResourceDefinition": "v1.16 v1.22 apiextensions.k8s.io/v1/CustomResourceDefinition"},
    "apiregistration.k8s.io/v1beta1": {"APIService": "v1.19 v1.22 apiregistration.k8s.io/v1/APIService"},
    "apps/v1beta1": {"ControllerRevision": "v1.8 v1.16 apps/v1/ControllerRevision", "Deployment": "v1.8 v1.16 apps/v1/Deployment", "DeploymentRollback": "v1.8 v1.16 apps/v1/DeploymentRollback", "Scale": "v1.8 v1.16 autoscaling/v1/Scale", "StatefulSet": "v1.8 v1.16 apps/v1/StatefulSet"},
    "apps/v1beta2": {"ControllerRevision": "v1.9 v1.16 apps/v1/ControllerRevision", "DaemonSet": "v1.9 v1.16 apps/v1/DaemonSet", "Deployment": "v1.9 v1.16 apps/v1/Deployment", "ReplicaSet": "v1.9 v1.16 apps/v1/ReplicaSet", "Scale": "v1.9 v1.16 autoscaling/v1/Scale", "StatefulSet": "v1.9 v1.16 apps/v1/StatefulSet"},
    "authentication.k8s.io/v1alpha1": {"SelfSubjectReview": "v1.29 v1.32 -"},
    "authentication.k8s.io/v1beta1": {"SelfSubjectReview": "v1.30 v1.33 -", "TokenReview": "v1.19 v1.22 authentication.k8s.io/v1/TokenReview"},
    "authorization.k8s.io/v1beta1": {"LocalSubjectAccessReview": "v1.19 v1.22 authorization.k8s.io/v1/LocalSubjectAccessReview", "SelfSubjectAccessReview": "v1.19 v1.22 authorization.k8s.io/v1/SelfSubjectAccessReview", "SelfSubjectRulesReview": "v1.19 v1.22 authorization.k8s.io/v1/SelfSubjectRulesReview", "SubjectAccessReview": "v1.19 v1.22 authorization.k8s.io/v1/SubjectAccessReview"},
    "batch/v1beta1": {"CronJob": "v1.21 v1.25 batch/v1/CronJob"},
    "certificates.k8s.io/v1alpha1": {"ClusterTrustBundle": "v1.34 v1.37 -"},
    "certificates.k8s.io/v1beta1": {"CertificateSigningRequest": "v1.19 v1.22 certificates.k8s.io/v1/CertificateSigningRequest", "ClusterTrustBundle": "v1.37 v1.40 -", "PodCertificateRequest": "v1.38 v1.41 -"},
    "coordination.k8s.io/v1alpha2": {"LeaseCandidate": "v1.35 v1.38 -"},
    "coordination.k8s.io/v1beta1": {"Lease": "v1.19 v1.22 coordination.k8s.io/v1/Lease", "LeaseCandidate": "v1.36 v1.39 -"},
    "discovery.k8s.io/v1beta1": {"EndpointSlice": "v1.21 v1.25 discovery.k8s.io/v1/EndpointSlice"},
    "events.k8s.io/v1beta1": {"Event": "v1.22 v1.25 -"},
    "extensions/v1beta1": {"DaemonSet": "v1.8 v1.16 apps/v1/DaemonSet", "Deployment": "v1.8 v1.16 apps/v1/Deployment", "DeploymentRollback": "v1.8 v1.16 -", "Ingress": "v1.14 v1.22 networking.k8s.io/v1/Ingress", "NetworkPolicy": "v1.9 v1.16 networking.k8s.io/v1/NetworkPolicy", "ReplicaSet": "v1.8 v1.16 apps/v1/ReplicaSet", "Scale": "v1.2 v1.16 -"},
    "flowcontrol.apiserver.k8s.io/v1beta1": {"FlowSchema": "v1.23 v1.26 flowcontrol.apiserver.k8s.io/v1beta3/FlowSchema", "PriorityLevelConfiguration": "v1.23 v1.26 flowcontrol.apiserver.k8s.io/v1beta3/PriorityLevelConfiguration"},
    "flowcontrol.apiserver.k8s.io/v1beta2": {"FlowSchema": "v1.26 v1.29 flowcontrol.apiserver.k8s.io/v1beta3/FlowSchema", "PriorityLevelConfiguration": "v1.26 v1.29 flowcontrol.apiserver.k8s.io/v1beta3/PriorityLevelConfiguration"},
    "flowcontrol.apiserver.k8s.io/v1beta3": {"FlowSchema": "v1.29 v1.32 flowcontrol.apiserver.k8s.io/v1/FlowSchema", "PriorityLevelConfiguration": "v1.29 v1.32 flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration"},
    "networking.k8s.io/v1beta1": {"IPAddress": "v1.34 v1.37 -", "Ingress": "v1.19 v1.22 networking.k8s.io/v1/Ingress", "IngressClass": "v1.19 v1.22 networking.k8s.io/v1/IngressClassList", "ServiceCIDR": "v1.34 v1.37 -"},
    "node.k8s.io/v1beta1": {"RuntimeClass": "v1.22 v1.25 -"},
    "policy/v1beta1": {"Eviction": "v1.22 v1.25 -", "PodDisruptionBudget": "v1.21 v1.25 policy/v1/PodDisruptionBudget"},
    "rbac.authorization.k8s.io/v1beta1": {"ClusterRole": "v1.17 v1.22 rbac.authorization.k8s.io/v1/ClusterRole", "ClusterRoleBinding": "v1.17 v1.22 rbac.authorization.k8s.io/v1/ClusterRoleBinding", "Role": "v1.17 v1.22 rbac.authorization.k8s.io/v1/Role", "RoleBinding": "v1.17 v1.22 rbac.authorization.k8s.io/v1/RoleBinding"},
    "resource.k8s.io/v1alpha3": {"DeviceTaintRule": "v1.36 v1.39 -", "ResourcePoolStatusRequest": "v1.39 v1.42 -"},
    "resource.k8s.io/v1beta1": {"DeviceClass": "v1.35 v1.38 -", "ResourceClaim": "v1.35 v1.38 -", "ResourceClaimTemplate": "v1.35 v1.38 -", "ResourceSlice": "v1.35 v1.38 -"},
    "resource.k8s.io/v1beta2": {"DeviceClass": "v1.36 v1.39 -", "DeviceTaintRule": "v1.39 v1.42 -", "ResourceClaim": "v1.36 v1.39 -", "ResourceClaimTemplate": "v1.36 v1.39 -", "ResourceSlice": "v1.36 v1.39 -"},
    "scheduling.k8s.io/v1beta1": {"PriorityClass": "v1.14 v1.22 scheduling.k8s.io/v1/PriorityClass"},
    "storage.k8s.io/v1alpha1": {"CSIStorageCapacity": "v1.21 v1.24 storage.k8s.io/v1beta1/CSIStorageCapacity", "VolumeAttachment": "v1.21 v1.24 storage.k8s.io/v1/VolumeAttachment", "VolumeAttributesClass": "v1.32 v1.35 storage.k8s.io/v1/VolumeAttributesClass"},
    "storage.k8s.io/v1beta1": {"CSIDriver": "v1.19 v1.22 storage.k8s.io/v1/CSIDriver", "CSINode": "v1.17 v1.22 storage.k8s.io/v1/CSINode", "CSIStorageCapacity": "v1.24 v1.27 storage.k8s.io/v1/CSIStorageCapacity", "StorageClass": "v1.19 v1.22 storage.k8s.io/v1/StorageClass", "VolumeAttachment": "v1.19 v1.22 storage.k8s.io/v1/VolumeAttachment", "VolumeAttributesClass": "v1.34 v1.37 storage.k8s.io/v1/VolumeAttributesClass"},
    "storagemigration.k8s.io/v1beta1": {"StorageVersionMigration": "v1.38 v1.41 -"},
}
