"""Kinds of devices and of the API server's flows, as `schema/fields.py` reads them. Nothing acts on them."""

from __future__ import annotations

KINDS: dict[str, list[str]] = {
    "resource.k8s.io/v1": [
        "DeviceClass",
        "resource.v1.ResourceClaim",
        "ResourceClaimTemplate",
        "ResourceSlice",
    ],
    "flowcontrol.apiserver.k8s.io/v1": ["FlowSchema", "PriorityLevelConfiguration"],
}

_CONDITIONS = "merge by type; map by type"
_CONDITION = {
    "lastTransitionTime": "time",
    "message": "string",
    "reason": "string",
    "status": "string",
    "type": "string",
}
_TOLERATED = {
    "effect": "string",
    "key": "string",
    "operator": "string",
    "tolerationSeconds": "int64",
    "value": "string",
}
_REQUEST = {
    "allocationMode": "string",
    "capacity": "CapacityRequirements",
    "count": "int64",
    "deviceClassName": "string; required",
    "selectors": "list of DeviceSelector",
    "tolerations": "list of DeviceToleration",
}
_SOURCE = {"opaque": "OpaqueDeviceConfiguration", "requests": "list of string"}
_NAMED = {"name": "string; required"}

TYPES: dict[str, dict[str, str]] = {
    # --- devices
    "DeviceClass": {"spec": "DeviceClassSpec; required"},
    "DeviceClassSpec": {
        "config": "list of DeviceClassConfiguration",
        "extendedResourceName": "string",
        "selectors": "list of DeviceSelector",
    },
    "DeviceClassConfiguration": {"opaque": "OpaqueDeviceConfiguration"},
    "OpaqueDeviceConfiguration": {"driver": "string; required", "parameters": "any; required"},
    "DeviceSelector": {"cel": "CELDeviceSelector"},
    "CELDeviceSelector": {"expression": "string; required"},
    "resource.v1.ResourceClaim": {
        "spec": "ResourceClaimSpec; required",
        "status": "ResourceClaimStatus",
    },
    "ResourceClaimTemplate": {"spec": "ResourceClaimTemplateSpec; required"},
    "ResourceClaimTemplateSpec": {"metadata": "ObjectMeta", "spec": "ResourceClaimSpec; required"},
    "ResourceClaimSpec": {"devices": "DeviceClaim"},
    "DeviceClaim": {
        "config": "list of DeviceClaimConfiguration",
        "constraints": "list of DeviceConstraint",
        "requests": "list of DeviceRequest",
    },
    "DeviceClaimConfiguration": _SOURCE,
    "DeviceConstraint": {
        "distinctAttribute": "string",
        "matchAttribute": "string",
        "requests": "list of string",
    },
    "DeviceRequest": {
        **_NAMED,
        "exactly": "ExactDeviceRequest",
        "firstAvailable": "list of DeviceSubRequest",
    },
    "ExactDeviceRequest": {**_REQUEST, "adminAccess": "boolean"},
    "DeviceSubRequest": {**_REQUEST, **_NAMED},
    "CapacityRequirements": {"requests": "map of quantity"},
    "DeviceToleration": _TOLERATED,
    "ResourceClaimStatus": {
        "allocation": "AllocationResult",
        "devices": "list of AllocatedDeviceStatus; map by driver device pool shareID",
        "reservedFor": "list of ResourceClaimConsumerReference; merge by uid; map by uid",
    },
    "ResourceClaimConsumerReference": {
        **_NAMED,
        "apiGroup": "string",
        "resource": "string; required",
        "uid": "string; required",
    },
    "AllocationResult": {
        "allocationTimestamp": "time",
        "devices": "DeviceAllocationResult",
        "nodeSelector": "NodeSelector; atomic",
    },
    "DeviceAllocationResult": {
        "config": "list of DeviceAllocationConfiguration",
        "results": "list of DeviceRequestAllocationResult",
    },
    "DeviceAllocationConfiguration": {**_SOURCE, "source": "string; required"},
    "DeviceRequestAllocationResult": {
        "adminAccess": "boolean",
        "bindingConditions": "list of string",
        "bindingFailureConditions": "list of string",
        "consumedCapacity": "map of quantity",
        "device": "string; required",
        "driver": "string; required",
        "pool": "string; required",
        "request": "string; required",
        "shareID": "string",
        "tolerations": "list of DeviceToleration",
    },
    "AllocatedDeviceStatus": {
        "conditions": "list of Condition; map by type",
        "data": "any",
        "device": "string; required",
        "driver": "string; required",
        "networkData": "NetworkDeviceData",
        "pool": "string; required",
        "shareID": "string",
    },
    "NetworkDeviceData": {
        "hardwareAddress": "string",
        "interfaceName": "string",
        "ips": "list of string",
    },
    "ResourceSlice": {"spec": "ResourceSliceSpec; required"},
    "ResourceSliceSpec": {
        "allNodes": "boolean",
        "devices": "list of Device",
        "driver": "string; required",
        "nodeName": "string",
        "nodeSelector": "NodeSelector; atomic",
        "perDeviceNodeSelection": "boolean",
        "pool": "ResourcePool; required",
        "sharedCounters": "list of CounterSet",
    },
    "ResourcePool": {
        **_NAMED,
        "generation": "int64; required",
        "resourceSliceCount": "int64; required",
    },
    "CounterSet": {**_NAMED, "counters": "map of Counter"},
    "Counter": {"value": "quantity; required"},
    "Device": {
        **_NAMED,
        "allNodes": "boolean",
        "allowMultipleAllocations": "boolean",
        "attributes": "map of DeviceAttribute",
        "bindingConditions": "list of string",
        "bindingFailureConditions": "list of string",
        "bindsToNode": "boolean",
        "capacity": "map of DeviceCapacity",
        "consumesCounters": "list of DeviceCounterConsumption",
        "nodeName": "string",
        "nodeSelector": "NodeSelector; atomic",
        "taints": "list of DeviceTaint",
    },
    "DeviceAttribute": {"bool": "boolean", "int": "int64", "string": "string", "version": "string"},
    "DeviceCapacity": {"requestPolicy": "CapacityRequestPolicy", "value": "quantity; required"},
    "CapacityRequestPolicy": {
        "default": "quantity",
        "validRange": "CapacityRequestPolicyRange",
        "validValues": "list of quantity",
    },
    "CapacityRequestPolicyRange": {"max": "quantity", "min": "quantity", "step": "quantity"},
    "DeviceCounterConsumption": {"counterSet": "string; required", "counters": "map of Counter"},
    "DeviceTaint": {
        "effect": "string; required",
        "key": "string; required",
        "timeAdded": "time",
        "value": "string",
    },
    # --- flows
    "FlowSchema": {"spec": "FlowSchemaSpec", "status": "FlowSchemaStatus"},
    "FlowSchemaSpec": {
        "distinguisherMethod": "FlowDistinguisherMethod",
        "matchingPrecedence": "int32",
        "priorityLevelConfiguration": "PriorityLevelConfigurationReference; required",
        "rules": "list of PolicyRulesWithSubjects",
    },
    "FlowDistinguisherMethod": {"type": "string; required"},
    "PriorityLevelConfigurationReference": _NAMED,
    "PolicyRulesWithSubjects": {
        "nonResourceRules": "list of NonResourcePolicyRule",
        "resourceRules": "list of ResourcePolicyRule",
        "subjects": "list of flowcontrol.v1.Subject; required",
    },
    "flowcontrol.v1.Subject": {
        "group": "GroupSubject",
        "kind": "string; required",
        "serviceAccount": "ServiceAccountSubject",
        "user": "UserSubject",
    },
    "GroupSubject": _NAMED,
    "UserSubject": _NAMED,
    "ServiceAccountSubject": {**_NAMED, "namespace": "string; required"},
    "NonResourcePolicyRule": {
        "nonResourceURLs": "list of string; required; set",
        "verbs": "list of string; required; set",
    },
    "ResourcePolicyRule": {
        "apiGroups": "list of string; required; set",
        "clusterScope": "boolean",
        "namespaces": "list of string; set",
        "resources": "list of string; required; set",
        "verbs": "list of string; required; set",
    },
    "FlowSchemaStatus": {"conditions": f"list of FlowSchemaCondition; {_CONDITIONS}"},
    "PriorityLevelConfiguration": {
        "spec": "PriorityLevelConfigurationSpec",
        "status": "PriorityLevelConfigurationStatus",
    },
    "PriorityLevelConfigurationSpec": {
        "exempt": "ExemptPriorityLevelConfiguration",
        "limited": "LimitedPriorityLevelConfiguration",
        "type": "string; required",
    },
    "ExemptPriorityLevelConfiguration": {"lendablePercent": "int32", "nominalConcurrencyShares": "int32"},
    "LimitedPriorityLevelConfiguration": {
        "borrowingLimitPercent": "int32",
        "lendablePercent": "int32",
        "limitResponse": "LimitResponse",
        "nominalConcurrencyShares": "int32",
    },
    "LimitResponse": {"queuing": "QueuingConfiguration", "type": "string; required"},
    "QueuingConfiguration": {"handSize": "int32", "queueLengthLimit": "int32", "queues": "int32"},
    "PriorityLevelConfigurationStatus": {
        "conditions": f"list of PriorityLevelConfigurationCondition; {_CONDITIONS}"
    },
    "FlowSchemaCondition": _CONDITION,
    "PriorityLevelConfigurationCondition": _CONDITION,
}
