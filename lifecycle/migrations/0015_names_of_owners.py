"""A cluster has its name among those of its owner; until now no two clusters had the same."""

import django.core.validators
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("lifecycle", "0014_digests_of_tokens"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="cluster",
            options={"ordering": ["name", "pk"]},
        ),
        migrations.AlterField(
            model_name="cluster",
            name="name",
            field=models.CharField(
                max_length=63,
                validators=[
                    django.core.validators.RegexValidator(
                        "\\A[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\\Z",
                        "a lowercase DNS label is needed: letters, digits and '-', at most 63, e.g. shop-staging",
                    )
                ],
            ),
        ),
        migrations.AddConstraint(
            model_name="cluster",
            constraint=models.UniqueConstraint(fields=("name", "owner"), name="cluster_name_of_owner"),
        ),
    ]
