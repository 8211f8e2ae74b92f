"""Tokens of the REST export are kept as digests: those that were kept as they are stay good."""

import hashlib

from django.db import migrations

DIGITS = 40


def keep_digests(apps, schema_editor):
    Token = apps.get_model("authtoken", "Token")
    for token in list(Token.objects.all()):
        digest = hashlib.sha256(token.key.encode()).hexdigest()[:DIGITS]
        Token.objects.filter(pk=token.pk).update(key=digest)


class Migration(migrations.Migration):
    dependencies = [
        ("lifecycle", "0013_living_objects"),
        ("authtoken", "0004_alter_tokenproxy_options"),
    ]

    operations = [migrations.RunPython(keep_digests, migrations.RunPython.noop)]
