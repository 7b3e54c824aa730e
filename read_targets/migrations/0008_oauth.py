from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('read_targets', '0007_call_log'),
    ]

    operations = [
        migrations.AddField(
            model_name='agenttoken',
            name='client',
            field=models.CharField(blank=True, default='', editable=False, help_text='The id of a client that signs in by itself; empty: the token was made by hand.', max_length=255, verbose_name='signs in as'),
        ),
        migrations.AddConstraint(
            model_name='agenttoken',
            constraint=models.UniqueConstraint(condition=models.Q(('revoked_at', None), models.Q(('client', ''), _negated=True)), fields=('user', 'client'), name='unique_signed_in_client'),
        ),
    ]
