"""What a v1.35.6 server answered to pods whose names, volumes or settings cannot be."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_create

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
    " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
SYSCTL = "must have at most 253 characters and match regex"
NAME = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
    " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
    " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
MAIN, SPREAD = "spec.containers[0]", "spec.topologySpreadConstraints"
REQUIRED = "podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey"


def refusals(body: str) -> list[str]:
    given: dict[str, Any] = yaml.safe_load(body)
    container = {"name": "main", "image": "busybox:1.36", **given.pop("container", {})}
    spec = {"containers": [container], **given}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec}
    return [str(error) for error in validate_create(apply_defaults(pod))]


@pytest.mark.parametrize(
    "body, expected",
    [
        (
            "container: {resources: {limits: {hugepages-2Mi: 4Mi}}}",
            ["spec.containers[0].resources: Forbidden: HugePages require cpu or memory"],
        ),
        (
            "container: {lifecycle: {preStop: {sleep: {seconds: 0}}, postStart: {sleep: {seconds: 100}}}}",
            [
                "spec.containers[0].lifecycle.postStart.sleep: Invalid value: 100: must be non-negative and"
                " less than terminationGracePeriodSeconds (30)"
            ],
        ),
        (
            "{dnsPolicy: Mine, dnsConfig: {nameservers: [x, 1.1.1.1, 1.1.1.2, 1.1.1.3]}}",
            [
                'spec.dnsPolicy: Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet",'
                ' "ClusterFirst", "Default", "None"',
                'spec.dnsConfig.nameservers: Invalid value: ["x","1.1.1.1","1.1.1.2","1.1.1.3"]: must not'
                " have more than 3 nameservers",
                f'spec.dnsConfig.nameservers[0]: Invalid value: "x": {IP}',
            ],
        ),
        (
            "hostAliases: [{ip: x, hostnames: [Bad_]}]",
            [
                f'spec.hostAliases[0].ip: Invalid value: "x": {IP}',
                f'spec.hostAliases[0].hostnames[0]: Invalid value: "Bad_": {SUBDOMAIN}',
            ],
        ),
        (
            "volumes: [{name: a, hostPath: {path: ../x, type: Hole}}, {name: b, emptyDir: {sizeLimit: '-1'}},"
            " {name: c, nfs: {path: x}}]",
            [
                "spec.volumes[0].hostPath.path: Invalid value: \"../x\": must not contain '..'",
                'spec.volumes[0].hostPath.type: Unsupported value: "Hole": supported values: "",'
                ' "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate",'
                ' "Socket"',
                "spec.volumes[1].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource"
                " quantity",
                "spec.volumes[2].nfs.server: Required value",
                'spec.volumes[2].nfs.path: Invalid value: "x": must be an absolute path',
            ],
        ),
        (
            "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: ''}]}}",
            [
                f"spec.affinity.{REQUIRED}: Required value: can not be empty",
                f'spec.affinity.{REQUIRED}: Invalid value: "": name part must be non-empty',
                f'spec.affinity.{REQUIRED}: Invalid value: "": {NAME}',
            ],
        ),
        (
            "securityContext: {sysctls: [{name: bad name}, {name: a.b}, {name: a.b}]}",
            [
                f'spec.securityContext.sysctls[0].name: Invalid value: "bad name": {SYSCTL}'
                " ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
                'spec.securityContext.sysctls[2].name: Duplicate value: "a.b"',
            ],
        ),
        (
            "container: {envFrom: [{}, {prefix: 1=, configMapRef: {name: Bad_}}, {configMapRef: {name: a},"
            " secretRef: {}}]}",
            [
                f'{MAIN}.envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
                f'{MAIN}.envFrom[1].prefix: Invalid value: "1=": a valid environment variable name'
                " must consist"
                " only of printable ASCII characters other than '='",
                f'{MAIN}.envFrom[1].configMapRef.name: Invalid value: "Bad_": {SUBDOMAIN}',
                f"{MAIN}.envFrom[2].secretRef.name: Required value",
                f'{MAIN}.envFrom: Invalid value: "": may not have more than one field specified at a time',
            ],
        ),
        (
            "container: {env: [{name: A, valueFrom: {configMapKeyRef: {}}}, {name: B, valueFrom: {fieldRef:"
            " {apiVersion: v2, fieldPath: metadata.name}}}, {name: C, valueFrom: {fileKeyRef: {volumeName: v,"
            " path: p, key: k}}}]}",
            [
                f'{MAIN}.env[0].valueFrom.configMapKeyRef.name: Invalid value: "": {SUBDOMAIN}',
                f"{MAIN}.env[0].valueFrom.configMapKeyRef.key: Required value",
                f'{MAIN}.env[1].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error'
                " converting"
                " fieldPath: unsupported pod version: v2",
                f'{MAIN}.env[2].valueFrom.fileKeyRef.volumeName: Not found: "v"',
            ],
        ),
        (
            "{container: {volumeMounts: [{name: v, mountPath: /a, mountPropagation: Bidirectional}, {name: v,"
            " mountPath: /b, recursiveReadOnly: Enabled}], volumeDevices: [{name: v, devicePath: /a}, {}]},"
            " volumes: [{name: v, emptyDir: {}}]}",
            [
                f"{MAIN}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is"
                " available"
                " only to privileged containers",
                f"{MAIN}.volumeMounts.recursiveReadOnly: Forbidden: may only be specified when"
                " readOnly is true",
                f'{MAIN}.volumeDevices[0].name: Invalid value: "v": can only use volume source type of'
                " PersistentVolumeClaim or Ephemeral for block mode",
                f'{MAIN}.volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
                f'{MAIN}.volumeDevices[0].devicePath: Invalid value: "/a": must not already exist as'
                " a path in"
                " volumeMounts",
                f"{MAIN}.volumeDevices[1].name: Required value",
                f'{MAIN}.volumeDevices[1].name: Not found: ""',
                f"{MAIN}.volumeDevices[1].devicePath: Required value",
            ],
        ),
        # A volume that is wrong is not there for those who would mount it.
        (
            "{container: {volumeMounts: [{name: v, mountPath: /a}]}, volumes: [{name: v, csi: {}}]}",
            [
                "spec.volumes[0].csi.driver: Required value",
                f'{MAIN}.volumeMounts[0].name: Not found: "v"',
            ],
        ),
        (
            "volumes: [{name: a, projected: {sources: [{secret: {name: s, items: [{key: k, path: p}]},"
            " configMap: {name: c, items: [{key: k, path: p}]}}, {serviceAccountToken: {path: '',"
            " expirationSeconds: 5}}]}}, {name: b, image: {}}, {name: c, ephemeral: {}}, {name: d,"
            " iscsi: {}},"
            " {name: e, gcePersistentDisk: {}}, {name: f, flocker: {}}]",
            [
                'spec.volumes[0].projected: Invalid value: "c": conflicting duplicate paths',
                "spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per"
                " source",
                "spec.volumes[0].projected.sources[1].serviceAccountToken.expirationSeconds: Invalid"
                " value: 5:"
                " may not specify a duration less than 10 minutes",
                "spec.volumes[0].projected.path: Required value",
                "spec.volumes[1].image.reference: Required value",
                "spec.volumes[2].ephemeral.volumeClaimTemplate: Required value",
                "spec.volumes[3].iscsi.targetPortal: Required value",
                "spec.volumes[3].iscsi.iqn: Required value",
                "spec.volumes[4].persistentDisk.pdName: Required value",
                "spec.volumes[5].flocker: Required value: one of datasetName and datasetUUID is required",
            ],
        ),
        (
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway,"
            " minDomains: 2, nodeTaintsPolicy: Mine, matchLabelKeys: [a]}, {maxSkew: 1, topologyKey: a,"
            " whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}, {maxSkew: 1, topologyKey: a}]",
            [
                f'{SPREAD}[0].{{topologyKey, whenUnsatisfiable}}: Duplicate value: "{{a, ScheduleAnyway}}"',
                f"{SPREAD}[0].minDomains: Invalid value: 2: can only use minDomains if"
                " whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
                f'{SPREAD}[0].nodeTaintsPolicy: Unsupported value: "Mine": supported values: "Honor",'
                ' "Ignore"',
                f"{SPREAD}[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
                f'{SPREAD}[2].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule",'
                ' "ScheduleAnyway"',
            ],
        ),
        (
            "{container: {resources: {requests: {pods: 1}, limits: {cpu: 1, hugepages-2Mi: 3Mi}, claims:"
            " [{name: c}]}, resizePolicy: [{resourceName: cpu, restartPolicy: Mine}, {resourceName: cpu,"
            " restartPolicy: NotRequired}]}, resourceClaims: [{name: d}]}",
            [
                'spec.resourceClaims[0]: Invalid value: {"Name":"d","ResourceClaimName":null,'
                '"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`,'
                " `resourceClaimTemplateName`",
                f'{MAIN}.resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer'
                " multiple of hugepages-2Mi",
                f'{MAIN}.resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer'
                " multiple of hugepages-2Mi",
                f'{MAIN}.resources.requests[pods]: Invalid value: "pods": must be a standard resource for'
                " containers",
                f'{MAIN}.resources.claims[0]: Not found: "c": must be one of the names in'
                " pod.spec.resourceClaims: d",
                f'{MAIN}.resizePolicy: Unsupported value: "Mine": supported values: "NotRequired",'
                ' "RestartContainer"',
                f'{MAIN}.resizePolicy[1]: Duplicate value: "cpu"',
            ],
        ),
        (
            "{hostNetwork: true, hostnameOverride: Bad_, hostname: a.b, securityContext:"
            " {supplementalGroupsPolicy:"
            " Mine, sysctls: [{name: net.core.somaxconn}], appArmorProfile: {type: Localhost,"
            " localhostProfile: ' a'}, seccompProfile: {}}}",
            [
                'spec.securityContext.sysctls[0].name: Invalid value: "net.core.somaxconn": may not be'
                " specified when 'hostNetwork' is true",
                'spec.securityContext.supplementalGroupsPolicy: Unsupported value: "Mine": supported values:'
                ' "Merge", "Strict"',
                "spec.securityContext.seccompProfile.type: Required value: type is required when"
                " seccompProfile is set",
                'spec.securityContext.appArmorProfile.localhostProfile: Invalid value: " a": must not be'
                " padded with whitespace",
                "spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true",
                f'spec.hostnameOverride: Invalid value: "Bad_": {SUBDOMAIN}',
                'spec.hostname: Invalid value: "a.b": must not contain dots',
            ],
        ),
        # What Go has no letters of was not given.
        (
            "{restartPolicy: '', dnsPolicy: '', schedulerName: '', volumes: [{name: v, emptyDir:"
            " {medium: x}}]}",
            [],
        ),
        ("dnsConfig: {searches: [., _tcp.example.com., a_b]}", []),
        ("securityContext: {sysctls: [{name: net/ipv4.a_b, value: '1'}]}", []),
    ],
)
def test_a_pod_is_refused_as_a_real_server_answered(body: str, expected: list[str]) -> None:
    assert refusals(body) == expected
