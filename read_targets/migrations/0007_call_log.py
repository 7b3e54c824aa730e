from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('read_targets', '0006_heavy_reads'),
    ]

    operations = []
