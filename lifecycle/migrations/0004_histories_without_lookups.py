"""PostgreSQL takes rows of histories as they come: no look at their cluster for each, no JSON taken apart."""

import django.db.models.deletion
from django.db import migrations, models

import lifecycle.fields

HISTORIES = ("transition", "event", "objectversion")
WRITTEN = {"transition": "cause", "event": "cause", "objectversion": "patch"}


def loosen(apps, schema_editor):
    connection = schema_editor.connection
    if connection.vendor != "postgresql":
        return
    for model in HISTORIES:
        table = f"lifecycle_{model}"
        with connection.cursor() as cursor:
            found = connection.introspection.get_constraints(cursor, table)
        keys = [name for name, constraint in found.items() if constraint["foreign_key"]]
        drops = [f'DROP CONSTRAINT "{name}"' for name in keys]
        column = WRITTEN[model]
        change = f'ALTER "{column}" TYPE json USING "{column}"::json'
        schema_editor.execute(f'ALTER TABLE "{table}" {", ".join([*drops, change])}')


def tighten(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    for model in HISTORIES:
        table, column = f"lifecycle_{model}", WRITTEN[model]
        schema_editor.execute(
            f'ALTER TABLE "{table}" ALTER "{column}" TYPE jsonb USING "{column}"::jsonb,'
            f' ADD CONSTRAINT "{table}_cluster" FOREIGN KEY ("cluster_id")'
            f' REFERENCES "lifecycle_cluster" ("id") DEFERRABLE INITIALLY DEFERRED'
        )


def cluster_key():
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.CASCADE,
        related_name="+",
        to="lifecycle.cluster",
    )


class Migration(migrations.Migration):
    dependencies = [("lifecycle", "0003_rows_as_they_were_written")]

    operations = [
        migrations.SeparateDatabaseAndState(
            # SQLite keeps its keys, which cost it little, and has JSON as text anyway.
            database_operations=[migrations.RunPython(loosen, tighten)],
            state_operations=[
                *[migrations.AlterField(model, "cluster", cluster_key()) for model in HISTORIES],
                *[
                    migrations.AlterField(model, column, lifecycle.fields.WrittenJSONField(null=True))
                    for model, column in WRITTEN.items()
                ],
            ],
        )
    ]
