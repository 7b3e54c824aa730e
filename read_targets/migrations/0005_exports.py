import django.db.models.deletion
import django.utils.timezone
import read_targets.cards.exports.models
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('read_targets', '0004_bases'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Export',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('source', models.CharField(max_length=100, verbose_name='read from')),
                ('form', models.CharField(choices=[('csv', 'CSV'), ('xlsx', 'XLSX')], max_length=4, verbose_name='format')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'being written'), ('done', 'ready'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='waiting', max_length=9, verbose_name='state')),
                ('reason', models.CharField(blank=True, choices=[('inactive', 'Your account is closed.'), ('closed', 'This list is closed to you.'), ('gone', 'The list is gone, or no longer takes these conditions. Ask your agent again.'), ('unread', 'The database did not answer. Try once more.'), ('unstored', 'The file could not be stored. Try once more.'), ('interrupted', 'Writing was interrupted. Try once more.'), ('no-worker', "Nobody took it up: the site's worker does not run.")], max_length=12, verbose_name='reason')),
                ('run', models.UUIDField(null=True)),
                ('lease_until', models.DateTimeField(default=read_targets.cards.exports.models.waits_until)),
                ('rows_total', models.PositiveBigIntegerField(null=True, verbose_name='rows')),
                ('rows_written', models.PositiveBigIntegerField(default=0, verbose_name='rows written')),
                ('file', models.CharField(blank=True, max_length=200, verbose_name='file')),
                ('size', models.PositiveBigIntegerField(null=True, verbose_name='bytes')),
                ('row_keys', models.BinaryField(null=True)),
                ('unrestricted', models.BooleanField(default=False)),
                ('relations', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('finished_at', models.DateTimeField(null=True, verbose_name='finished')),
                ('expires_at', models.DateTimeField(default=read_targets.cards.exports.models.good_until, verbose_name='kept until')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='read_targets_exports', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exports', to='read_targets.workspaceversion', verbose_name='workspace version')),
            ],
            options={
                'verbose_name': 'export',
                'verbose_name_plural': 'exports',
                'ordering': ('-created_at',),
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('user', 'source'), name='one_open_export_a_list')],
            },
        ),
    ]
