"""Kinds of one name in two groups are told apart: objects and rows carry the group of their kind."""

from collections import defaultdict

from django.db import migrations, models

HISTORIES = ("transition", "event", "objectversion")
# The kinds that the engine knew by name, as of this migration; those of the core group are "".
GROUPS = {
    **dict.fromkeys("Deployment ReplicaSet StatefulSet DaemonSet ControllerRevision".split(), "apps"),
    **dict.fromkeys("Job CronJob".split(), "batch"),
    **dict.fromkeys("Ingress IngressClass NetworkPolicy".split(), "networking.k8s.io"),
    **dict.fromkeys("Role RoleBinding ClusterRole ClusterRoleBinding".split(), "rbac.authorization.k8s.io"),
    "HorizontalPodAutoscaler": "autoscaling",
    "PodDisruptionBudget": "policy",
    "EndpointSlice": "discovery.k8s.io",
    "PriorityClass": "scheduling.k8s.io",
    "StorageClass": "storage.k8s.io",
    "Lease": "coordination.k8s.io",
    "RuntimeClass": "node.k8s.io",
    "ContainerProfile": "podline.dev",
}
UIDS = 500


def fill(apps, schema_editor):
    """From the JSON of objects; of rows by their kind, then by the uid of an object that says otherwise."""
    stored = apps.get_model("lifecycle", "storedobject").objects
    histories = [apps.get_model("lifecycle", name).objects for name in HISTORIES]
    for kind, group in GROUPS.items():
        for rows in histories:
            rows.filter(kind=kind).update(group=group)
    for kind, version in set(stored.values_list("kind", "data__apiVersion").distinct()):
        group = str(version or "").rpartition("/")[0]
        stored.filter(kind=kind, data__apiVersion=version).update(group=group)
        if group != GROUPS.get(kind, ""):
            fill_rows(histories, stored.filter(kind=kind, group=group), group)


def fill_rows(histories, objects, group):
    uids = defaultdict(list)
    for cluster, uid in objects.values_list("cluster_id", "uid"):
        uids[cluster].append(uid)
    for cluster, found in uids.items():
        for start in range(0, len(found), UIDS):
            for rows in histories:
                rows.filter(cluster_id=cluster, uid__in=found[start : start + UIDS]).update(group=group)


def group_field():
    return models.CharField(blank=True, default="", max_length=253)


class Migration(migrations.Migration):
    dependencies = [("lifecycle", "0006_upgrade_notes")]

    operations = [
        migrations.RemoveIndex(model_name="storedobject", name="object_name"),
        *[migrations.AddField(name, "group", group_field()) for name in ("storedobject", *HISTORIES)],
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="storedobject",
            index=models.Index(fields=["cluster", "kind", "group", "namespace", "name"], name="object_name"),
        ),
    ]
