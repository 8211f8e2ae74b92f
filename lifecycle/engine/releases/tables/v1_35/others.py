"""Kinds of Kubernetes v1.35 that the generated table lacks. Written as `schema/fields.py` says.

A type with "*" takes further fields, each of that type; what every object has is not said again here. A name
that two types would share is written with group and version.
"""

from __future__ import annotations

KINDS: dict[str, list[str]] = {
    "admissionregistration.k8s.io/v1": [
        "ValidatingWebhookConfiguration",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
    ],
    "apiregistration.k8s.io/v1": ["APIService"],
    "certificates.k8s.io/v1": ["CertificateSigningRequest"],
    "node.k8s.io/v1": ["RuntimeClass"],
    # Of a kubelet's configuration, the part that is modelled.
    "kubelet.config.k8s.io/v1beta1": ["KubeletConfiguration"],
}

_WEBHOOK = {
    "admissionReviewVersions": "list of string",
    "clientConfig": "admissionregistration.v1.WebhookClientConfig",
    "failurePolicy": "string",
    "matchConditions": "list of MatchCondition; merge by name; map by name",
    "matchPolicy": "string",
    "name": "string",
    "namespaceSelector": "LabelSelector; atomic",
    "objectSelector": "LabelSelector; atomic",
    "rules": "list of RuleWithOperations",
    "sideEffects": "string",
    "timeoutSeconds": "int32",
}
_RULE = {
    "apiGroups": "list of string",
    "apiVersions": "list of string",
    "operations": "list of string",
    "resources": "list of string",
    "scope": "string",
}
_CONDITION = {
    "lastTransitionTime": "time",
    "message": "string",
    "reason": "string",
    "status": "string",
    "type": "string",
}

TYPES: dict[str, dict[str, str]] = {
    "RuntimeClass": {
        "handler": "string",
        "overhead": "Overhead",
        "scheduling": "Scheduling",
    },
    "Overhead": {"podFixed": "map of quantity"},
    "Scheduling": {"nodeSelector": "map of string", "tolerations": "list of Toleration"},
    "ValidatingWebhookConfiguration": {"webhooks": "list of ValidatingWebhook; merge by name; map by name"},
    "ValidatingWebhook": _WEBHOOK,
    "admissionregistration.v1.WebhookClientConfig": {
        "caBundle": "bytes",
        "service": "admissionregistration.v1.ServiceReference",
        "url": "string",
    },
    "admissionregistration.v1.ServiceReference": {
        "name": "string",
        "namespace": "string",
        "path": "string",
        "port": "int32",
    },
    "MatchCondition": {"expression": "string", "name": "string"},
    "RuleWithOperations": _RULE,
    "MutatingWebhookConfiguration": {"webhooks": "list of MutatingWebhook; merge by name; map by name"},
    "MutatingWebhook": {**_WEBHOOK, "reinvocationPolicy": "string"},
    "ValidatingAdmissionPolicy": {
        "spec": "ValidatingAdmissionPolicySpec",
        "status": "ValidatingAdmissionPolicyStatus",
    },
    "ValidatingAdmissionPolicySpec": {
        "auditAnnotations": "list of AuditAnnotation",
        "failurePolicy": "string",
        "matchConditions": "list of MatchCondition; merge by name; map by name",
        "matchConstraints": "MatchResources; atomic",
        "paramKind": "ParamKind; atomic",
        "validations": "list of Validation",
        "variables": "list of Variable; merge by name; map by name",
    },
    "AuditAnnotation": {"key": "string", "valueExpression": "string"},
    "MatchResources": {
        "excludeResourceRules": "list of NamedRuleWithOperations",
        "matchPolicy": "string",
        "namespaceSelector": "LabelSelector; atomic",
        "objectSelector": "LabelSelector; atomic",
        "resourceRules": "list of NamedRuleWithOperations",
    },
    "NamedRuleWithOperations": {**_RULE, "resourceNames": "list of string"},
    "ParamKind": {"apiVersion": "string", "kind": "string"},
    "Validation": {
        "expression": "string",
        "message": "string",
        "messageExpression": "string",
        "reason": "string",
    },
    "Variable": {"expression": "string", "name": "string"},
    "ValidatingAdmissionPolicyStatus": {
        "conditions": "list of Condition; map by type",
        "observedGeneration": "int64",
        "typeChecking": "TypeChecking",
    },
    "TypeChecking": {"expressionWarnings": "list of ExpressionWarning"},
    "ExpressionWarning": {"fieldRef": "string", "warning": "string"},
    "ValidatingAdmissionPolicyBinding": {"spec": "ValidatingAdmissionPolicyBindingSpec"},
    "ValidatingAdmissionPolicyBindingSpec": {
        "matchResources": "MatchResources; atomic",
        "paramRef": "ParamRef; atomic",
        "policyName": "string",
        "validationActions": "list of string; set",
    },
    "ParamRef": {
        "name": "string",
        "namespace": "string",
        "parameterNotFoundAction": "string",
        "selector": "LabelSelector; atomic",
    },
    "APIService": {"spec": "APIServiceSpec", "status": "APIServiceStatus"},
    "APIServiceSpec": {
        "caBundle": "bytes",
        "group": "string",
        "groupPriorityMinimum": "int32",
        "insecureSkipTLSVerify": "boolean",
        "service": "apiregistration.v1.ServiceReference",
        "version": "string",
        "versionPriority": "int32",
    },
    "apiregistration.v1.ServiceReference": {"name": "string", "namespace": "string", "port": "int32"},
    "APIServiceStatus": {"conditions": "list of APIServiceCondition; merge by type; map by type"},
    "APIServiceCondition": _CONDITION,
    "CertificateSigningRequest": {
        "spec": "CertificateSigningRequestSpec",
        "status": "CertificateSigningRequestStatus",
    },
    "CertificateSigningRequestSpec": {
        "expirationSeconds": "int32",
        "extra": "map of list of string",
        "groups": "list of string",
        "request": "bytes",
        "signerName": "string",
        "uid": "string",
        "usages": "list of string",
        "username": "string",
    },
    "CertificateSigningRequestStatus": {
        "certificate": "bytes",
        "conditions": "list of CertificateSigningRequestCondition; map by type",
    },
    "CertificateSigningRequestCondition": {**_CONDITION, "lastUpdateTime": "time"},
    "KubeletConfiguration": {
        "crashLoopBackOff": "CrashLoopBackOffConfig",
        "userNamespaces": "UserNamespacesConfig",
        "maxPods": "int32",
        "shutdownGracePeriod": "string",
        "shutdownGracePeriodCriticalPods": "string",
        "evictionHard": "map of string",
        "evictionSoft": "map of string",
        "evictionSoftGracePeriod": "map of string",
        "evictionMaxPodGracePeriod": "int32",
        "evictionPressureTransitionPeriod": "string",
        "featureGates": "map of boolean",
        "cpuManagerPolicy": "string",
        "reservedSystemCPUs": "string",
        "systemReserved": "map of string",
        "kubeReserved": "map of string",
        "mergeDefaultEvictionSettings": "boolean",
        "*": "any",
    },
    "CrashLoopBackOffConfig": {"maxContainerRestartPeriod": "string"},
    "UserNamespacesConfig": {"idsPerPod": "int64"},
}
