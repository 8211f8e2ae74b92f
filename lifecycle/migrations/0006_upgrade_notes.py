from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("lifecycle", "0005_logs_in_parts"),
    ]

    operations = [
        migrations.AddField(
            model_name="cluster",
            name="upgrade_note",
            field=models.TextField(blank=True),
        ),
    ]
