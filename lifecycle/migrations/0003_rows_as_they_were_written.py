"""PostgreSQL keeps the keys of rows' details in the order they were written: `json` in place of `jsonb`."""

from django.db import migrations

import lifecycle.fields

COLUMNS = {"lifecycle_transition": ["old", "new", "detail"], "lifecycle_event": ["detail"]}


def change_columns(schema_editor, kind):
    if schema_editor.connection.vendor != "postgresql":
        # SQLite keeps JSON as the text it was.
        return
    for table, columns in COLUMNS.items():
        changes = ", ".join(f'ALTER "{name}" TYPE {kind} USING "{name}"::{kind}' for name in columns)
        schema_editor.execute(f'ALTER TABLE "{table}" {changes}')


def to_json(apps, schema_editor):
    change_columns(schema_editor, "json")


def to_jsonb(apps, schema_editor):
    change_columns(schema_editor, "jsonb")


class Migration(migrations.Migration):
    dependencies = [("lifecycle", "0002_instants_of_log_lines")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(to_json, to_jsonb)],
            state_operations=[
                migrations.AlterField(model, name, lifecycle.fields.WrittenJSONField(null=True))
                for model, names in (("transition", ["old", "new", "detail"]), ("event", ["detail"]))
                for name in names
            ],
        )
    ]
