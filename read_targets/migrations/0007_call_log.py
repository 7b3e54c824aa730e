import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('read_targets', '0006_heavy_reads'),
    ]

    operations = [
        migrations.CreateModel(
            name='ToolLimit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tool', models.CharField(max_length=100, unique=True, verbose_name='tool')),
                ('calls_a_minute', models.PositiveIntegerField(help_text='Of one person, by all their tokens and themselves.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000000)], verbose_name='calls a minute')),
                ('doors', models.ForeignKey(default=1, editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='tool_limits', to='read_targets.agentdoors')),
            ],
            options={
                'verbose_name': 'limit of a tool',
                'verbose_name_plural': 'limits of tools',
                'ordering': ('tool',),
            },
        ),
        migrations.CreateModel(
            name='CallRules',
            fields=[
            ],
            options={
                'verbose_name': 'log and limits',
                'verbose_name_plural': 'log and limits',
                'proxy': True,
                'indexes': [],
                'constraints': [],
            },
            bases=('read_targets.agentdoors',),
        ),
        migrations.AlterModelOptions(
            name='toolcall',
            options={'ordering': ('-at', '-id'), 'verbose_name': 'tool call', 'verbose_name_plural': 'tool calls'},
        ),
        migrations.AddField(
            model_name='agentdoors',
            name='calls_a_minute_of_person',
            field=models.PositiveIntegerField(blank=True, help_text="By all their tokens and themselves. Empty: as the site's settings say.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000000)], verbose_name='calls a minute of a person'),
        ),
        migrations.AddField(
            model_name='agentdoors',
            name='calls_a_minute_of_token',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: as the site's settings say. A token may have a limit of its own.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000000)], verbose_name='calls a minute of a token'),
        ),
        migrations.AddField(
            model_name='agentdoors',
            name='keep_calls_days',
            field=models.PositiveSmallIntegerField(default=180, help_text='Older calls are deleted by manage.py forget_expired.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3650)], verbose_name='days that calls are kept'),
        ),
        migrations.AddField(
            model_name='agentdoors',
            name='keeps_words',
            field=models.BooleanField(default=False, help_text='Off, the log says that words were searched for, and not which.', verbose_name='keep the words searched for'),
        ),
        migrations.AddField(
            model_name='preference',
            name='calls_a_minute',
            field=models.PositiveIntegerField(blank=True, help_text='How often they and all their tokens may call; empty: as often as every person.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000000)], verbose_name='calls a minute'),
        ),
        migrations.AddField(
            model_name='toolcall',
            name='conditions',
            field=models.JSONField(blank=True, default=list, verbose_name='conditions'),
        ),
        migrations.AlterField(
            model_name='toolcall',
            name='user',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='tool_calls', to=settings.AUTH_USER_MODEL, verbose_name='person'),
        ),
        migrations.AddIndex(
            model_name='card',
            index=models.Index(fields=['call'], name='card_of_call'),
        ),
        migrations.AddIndex(
            model_name='toolcall',
            index=models.Index(fields=['-at', '-id'], name='tool_call_newest'),
        ),
        migrations.AddIndex(
            model_name='toolcall',
            index=models.Index(fields=['tool', '-at'], name='tool_call_of_tool'),
        ),
        migrations.AddIndex(
            model_name='toolcall',
            index=models.Index(fields=['agent', '-at'], name='tool_call_of_agent'),
        ),
        migrations.AddIndex(
            model_name='toolcall',
            index=models.Index(fields=['code', '-at'], name='tool_call_of_code'),
        ),
        migrations.AddIndex(
            model_name='toolcall',
            index=models.Index(fields=['outcome', '-at'], name='tool_call_of_outcome'),
        ),
    ]
