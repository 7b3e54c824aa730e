import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('read_targets', '0005_exports'),
    ]

    operations = [
        migrations.CreateModel(
            name='HeavyRead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.PositiveSmallIntegerField()),
                ('holder', models.CharField(max_length=32)),
                ('expires_at', models.BigIntegerField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='heavy_reads', to=settings.AUTH_USER_MODEL, verbose_name='person')),
            ],
            options={
                'verbose_name': 'long reading',
                'verbose_name_plural': 'long readings',
                'constraints': [models.UniqueConstraint(fields=('user', 'place'), name='unique_heavy_read')],
            },
        ),
    ]
