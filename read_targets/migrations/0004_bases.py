import django.db.models.deletion
import read_targets.agent.labels
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('read_targets', '0003_limits'),
    ]

    operations = [
        migrations.AddField(
            model_name='column',
            name='basis',
            field=models.CharField(choices=[('rows', 'every value alike'), ('weights', 'by a weight'), ('ratio', 'one sum over another')], default='rows', max_length=10, verbose_name='average'),
        ),
        migrations.AddField(
            model_name='column',
            name='denominator',
            field=models.CharField(blank=True, help_text='A column; of a ratio.', max_length=40, verbose_name='denominator'),
        ),
        migrations.AddField(
            model_name='column',
            name='numerator',
            field=models.CharField(blank=True, help_text='A column; of a ratio.', max_length=40, verbose_name='numerator'),
        ),
        migrations.AddField(
            model_name='column',
            name='weight',
            field=models.CharField(blank=True, help_text='A column; of a weighted average.', max_length=40, verbose_name='weight'),
        ),
        migrations.CreateModel(
            name='Goal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField(default=0, verbose_name='position')),
                ('column', models.CharField(help_text='The column whose average it is about.', max_length=40, verbose_name='column')),
                ('value', models.DecimalField(decimal_places=5, max_digits=15, verbose_name='goal')),
                ('direction', models.CharField(choices=[('higher_is_better', 'higher is better'), ('lower_is_better', 'lower is better')], max_length=20, verbose_name='direction')),
                ('source', models.CharField(blank=True, help_text='Whose goal it is: personal, company, well.', max_length=60, verbose_name='source')),
                ('label', read_targets.agent.labels.LabelField(blank=True, default=dict, verbose_name='label')),
                ('target', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='goals', to='read_targets.readtarget', verbose_name='read target')),
            ],
            options={
                'verbose_name': 'goal',
                'verbose_name_plural': 'goals',
                'ordering': ('position', 'pk'),
                'constraints': [models.UniqueConstraint(fields=('target', 'column', 'source'), name='unique_goal')],
            },
        ),
    ]
