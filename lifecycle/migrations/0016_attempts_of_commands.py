"""A command that twice cost its worker the shard is set aside: what that is counted by."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lifecycle", "0015_names_of_owners")]

    operations = [
        migrations.AddField(
            model_name="cluster",
            name="losses",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name="command",
            name="attempts",
            field=models.PositiveSmallIntegerField(default=0, editable=False),
        ),
    ]
