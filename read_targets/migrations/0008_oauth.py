from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('read_targets', '0007_call_log'),
    ]

    operations = []
