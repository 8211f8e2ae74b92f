from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("lifecycle", "0004_histories_without_lookups"),
    ]

    operations = [
        migrations.AddField(
            model_name="cluster",
            name="upgrade_note",
            field=models.TextField(blank=True),
        ),
    ]
