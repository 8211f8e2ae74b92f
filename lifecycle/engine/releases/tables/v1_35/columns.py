"""Which columns `kubectl get` prints of each resource of Kubernetes v1.35, by its group and plural name.

Written as `Name; Other:integer; wide IP`: the type where it is no text, `wide` for what `-o wide` adds. Where
no column is called so, the name stands first.
"""

from __future__ import annotations

_WORKLOAD = "wide Containers; wide Images"
_COUNTED = f"Desired:integer; Current:integer; Ready:integer; Age; {_WORKLOAD}; wide Selector"
_SUBJECTS = "Role; Age; wide Users; wide Groups; wide ServiceAccounts"
_EVENTS = (
    "Last Seen; Type; Reason; Object; wide Subobject; wide Source; Message; wide First Seen; wide Count;"
    " wide Name:string:name"
)
COLUMNS: dict[tuple[str, str], str] = {
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"): "Webhooks:integer; Age",
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"): "Webhooks:integer; Age",
    (
        "admissionregistration.k8s.io",
        "validatingadmissionpolicies",
    ): "Validations:integer; ParamKind; Age",
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"): "PolicyName; ParamRef; Age",
    ("apiregistration.k8s.io", "apiservices"): "Service; Available; Age",
    ("apps", "controllerrevisions"): "Controller; Revision; Age",
    ("apps", "daemonsets"): (
        "Desired:integer; Current:integer; Ready:integer; Up-to-date:integer; Available:integer;"
        f" Node Selector; Age; {_WORKLOAD}; wide Selector"
    ),
    ("apps", "deployments"): f"Ready; Up-to-date; Available; Age; {_WORKLOAD}; wide Selector",
    ("apps", "replicasets"): _COUNTED,
    ("apps", "statefulsets"): f"Ready; Age; {_WORKLOAD}",
    ("autoscaling", "horizontalpodautoscalers"): "Reference; Targets; MinPods; MaxPods; Replicas; Age",
    ("autoscaling", "scales"): "Desired:integer; Available:integer; Age",
    ("batch", "cronjobs"): (
        f"Schedule; Timezone; Suspend:boolean; Active:integer; Last Schedule; Age; {_WORKLOAD}; wide Selector"
    ),
    ("batch", "jobs"): f"Status; Completions; Duration; Age; {_WORKLOAD}; wide Selector",
    ("certificates.k8s.io", "certificatesigningrequests"): (
        "Age; SignerName; Requestor; RequestedDuration; Condition"
    ),
    ("coordination.k8s.io", "leases"): "Holder; Age",
    ("discovery.k8s.io", "endpointslices"): "AddressType; Ports; Endpoints; Age",
    ("flowcontrol.apiserver.k8s.io", "flowschemas"): (
        "PriorityLevel; MatchingPrecedence; DistinguisherMethod; Age; MissingPL"
    ),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"): (
        "Type; NominalConcurrencyShares; Queues; HandSize; QueueLengthLimit; Age"
    ),
    ("networking.k8s.io", "ingressclasses"): "Controller; Parameters; Age",
    ("networking.k8s.io", "ingresses"): "Class; Hosts; Address; Ports; Age",
    ("networking.k8s.io", "ipaddresses"): "ParentRef",
    ("networking.k8s.io", "networkpolicies"): "Pod-Selector; Age",
    ("networking.k8s.io", "servicecidrs"): "CIDRs; Age",
    ("node.k8s.io", "runtimeclasses"): "Handler; Age",
    ("policy", "poddisruptionbudgets"): ("Min Available; Max Unavailable; Allowed Disruptions:integer; Age"),
    ("rbac.authorization.k8s.io", "clusterrolebindings"): _SUBJECTS,
    ("rbac.authorization.k8s.io", "rolebindings"): _SUBJECTS,
    **{("resource.k8s.io", name): "Age" for name in ("deviceclasses", "resourceclaimtemplates")},
    ("resource.k8s.io", "resourceclaims"): "State; Age",
    ("resource.k8s.io", "resourceslices"): "Node; Driver; Pool; Age",
    ("scheduling.k8s.io", "priorityclasses"): "Value:integer; Global-Default:boolean; Age; PreemptionPolicy",
    ("storage.k8s.io", "csidrivers"): (
        "AttachRequired:boolean; PodInfoOnMount:boolean; StorageCapacity:boolean; TokenRequests;"
        " RequiresRepublish:boolean; Modes; Age"
    ),
    ("storage.k8s.io", "csinodes"): "Drivers:integer; Age",
    ("storage.k8s.io", "storageclasses"): (
        "Provisioner; ReclaimPolicy; VolumeBindingMode; AllowVolumeExpansion; Age"
    ),
    ("storage.k8s.io", "volumeattachments"): "Attacher:string:name; PV; Node; Attached:boolean; Age",
    ("storage.k8s.io", "volumeattributesclasses"): "DriverName; Age",
    ("", "componentstatuses"): "Status; Message; Error",
    ("", "configmaps"): "Data; Age",
    ("", "endpoints"): "Endpoints; Age",
    ("", "namespaces"): "Status; Age",
    ("", "nodes"): (
        "Status; Roles; Age; Version; wide Internal-IP; wide External-IP; wide OS-Image; wide Kernel-Version;"
        " wide Container-Runtime"
    ),
    ("", "persistentvolumeclaims"): (
        "Status; Volume; Capacity; Access Modes; StorageClass; VolumeAttributesClass; Age; wide VolumeMode"
    ),
    ("", "persistentvolumes"): (
        "Capacity; Access Modes; Reclaim Policy; Status; Claim; StorageClass; VolumeAttributesClass; Reason;"
        " Age; wide VolumeMode"
    ),
    ("", "pods"): (
        "Ready; Status; Restarts; Age; wide IP; wide Node; wide Nominated Node; wide Readiness Gates"
    ),
    ("", "podtemplates"): "Containers; Images; Pod Labels",
    ("", "replicationcontrollers"): _COUNTED,
    ("", "resourcequotas"): "Request; Limit; Age",
    ("", "secrets"): "Type; Data; Age",
    ("", "serviceaccounts"): "Age",
    ("", "services"): "Type; Cluster-IP; External-IP; Port(s); Age; wide Selector",
    ("", "events"): _EVENTS,
    ("events.k8s.io", "events"): _EVENTS,
}
