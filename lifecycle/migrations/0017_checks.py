"""Checks of clusters, and their futures in parts."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("lifecycle", "0016_attempts_of_commands"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Check",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "Asked"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("cancelled", "Cancelled"),
                            ("failed", "Failed"),
                        ],
                        default="asked",
                        max_length=15,
                    ),
                ),
                ("ordeals", models.JSONField(default=list)),
                ("seeds", models.PositiveIntegerField(default=1)),
                ("problem", models.TextField(blank=True)),
                ("at_ms", models.BigIntegerField(blank=True, null=True)),
                ("command_order", models.BigIntegerField(default=0)),
                ("engine_version", models.PositiveIntegerField(default=0)),
                ("base", models.BinaryField(default=bytes)),
                ("total", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("card", models.JSONField(blank=True, default=dict)),
                ("report", models.JSONField(blank=True, default=dict)),
                ("counterexamples", models.JSONField(blank=True, default=dict)),
                ("remarks", models.JSONField(blank=True, default=list)),
                ("attempts", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("heard_at", models.DateTimeField(auto_now_add=True)),
                ("worked_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("is_summing", models.BooleanField(default=False, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="checks",
                        to="lifecycle.cluster",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="checks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="CheckPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("first", models.PositiveIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("futures", models.JSONField(default=list)),
                ("card", models.JSONField(default=dict)),
                ("is_done", models.BooleanField(default=False)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("heard_at", models.DateTimeField(blank=True, null=True)),
                (
                    "check_of",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="lifecycle.Check",
                    ),
                ),
            ],
            options={
                "ordering": ["first"],
            },
        ),
        migrations.AddConstraint(
            model_name="check",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("asked", "running"))),
                fields=("cluster",),
                name="one_check_of_a_cluster",
            ),
        ),
        migrations.AddConstraint(
            model_name="checkpart",
            constraint=models.UniqueConstraint(fields=("check_of", "first"), name="part_of_check"),
        ),
    ]
