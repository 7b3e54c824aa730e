import uuid

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('read_targets', '0008_oauth'),
    ]

    operations = [
        migrations.CreateModel(
            name='GrantsStamp',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('stamp', models.UUIDField(default=uuid.uuid4)),
            ],
        ),
    ]
