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
        ("dnsConfig: {searches: [., _tcp.example.com., a_b]}", []),
        ("securityContext: {sysctls: [{name: net/ipv4.a_b, value: '1'}]}", []),
    ],
)
def test_a_pod_is_refused_as_a_real_server_answered(body: str, expected: list[str]) -> None:
    assert refusals(body) == expected
