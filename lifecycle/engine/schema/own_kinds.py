"""Podline's own kinds, which are the same in every release. Written as `fields.py` says."""

from __future__ import annotations

from ..releases.release import FieldTable

OWN_KINDS = FieldTable(
    kinds={"podline.dev/v1alpha1": ["ContainerProfile", "Scenario"]},
    types={
        "ContainerProfile": {"spec": "ContainerProfileSpec"},
        "ContainerProfileSpec": {"match": "ContainerProfileMatch", "behavior": "any"},
        "ContainerProfileMatch": {
            "image": "string",
            "podSelector": "LabelSelector; atomic",
            "container": "string",
        },
        "Scenario": {"spec": "ScenarioSpec"},
        "ScenarioSpec": {
            "description": "string",
            "seed": "int64",
            "epoch": "time",
            "nodes": "ScenarioNodes",
            "timing": "any",
            "kubernetes": "string",
            "compatibility": "string",
            "featureGates": "map of boolean",
            "switches": "map of boolean",
            "controllerManager": "map of any",
            "steps": "list of map of any",
            "until": "any",
            "expect": "list of map of any",
        },
        "ScenarioNodes": {"count": "int64", "cpu": "quantity", "memory": "quantity", "pods": "int64"},
    },
)
