"""Wells, connection runs and rig events."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class Well(models.Model):
    """A well and how deep it is."""

    name = models.CharField(_("name"), max_length=60, unique=True)
    field = models.CharField(pgettext_lazy("oil", "field"), max_length=60)
    spud_date = models.DateField(_("spud date"))
    depth_ft = models.DecimalField(_("depth (ft)"), max_digits=8, decimal_places=1, null=True, blank=True)

    class Meta:
        verbose_name = _("well")
        verbose_name_plural = _("wells")

    def __str__(self) -> str:
        return self.name


class ConnectionRun(models.Model):
    """A shift's pipe connections on a well: how many, how long they took together, how far the bit came.

    It came so far in `hours` of drilling, under a mean `weight_on_bit`. The rig does not always report them.
    """

    well = models.ForeignKey(Well, on_delete=models.CASCADE, verbose_name=_("well"))
    started_at = models.DateTimeField(_("started at"))
    connections = models.PositiveIntegerField(_("connections"))
    minutes = models.DecimalField(_("minutes"), max_digits=8, decimal_places=2)
    feet = models.DecimalField(_("feet"), max_digits=10, decimal_places=1, null=True, blank=True)
    hours = models.DecimalField(_("drilling hours"), max_digits=6, decimal_places=2, null=True, blank=True)
    weight_on_bit = models.DecimalField(_("weight on bit"), max_digits=5, decimal_places=1, null=True, blank=True)
    crew = models.CharField(_("crew"), max_length=30)

    class Meta:
        verbose_name = _("connection run")
        verbose_name_plural = _("connection runs")
        indexes = [models.Index(fields=["-started_at", "-id"], name="drilling_run_by_start")]

    def __str__(self) -> str:
        return f"{self.crew} {self.started_at:%Y-%m-%d %H:%M}"


class RigEvent(models.Model):
    """Something that a rig reported. Its list has a shape of its own: see `project.demo.drilling.schema`."""

    class Kind(models.TextChoices):
        """What happened."""

        STUCK = "STUCK", _("Stuck pipe")
        KICK = "KICK", _("Kick")
        REPAIR = "REPAIR", _("Repair")
        WAITING = "WAITING", _("Waiting")

    well = models.ForeignKey(Well, on_delete=models.CASCADE, verbose_name=_("well"))
    at = models.DateTimeField(_("at"))
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    minutes = models.DecimalField(_("minutes"), max_digits=8, decimal_places=2)

    class Meta:
        verbose_name = _("rig event")
        verbose_name_plural = _("rig events")

    def __str__(self) -> str:
        return f"{self.kind} {self.at:%Y-%m-%d %H:%M}"
