"""The note that the sample company leaves of itself."""

from django.db import models


class Company(models.Model):
    """The company as it was last built; whatever people have changed in it since does not make it another one."""

    rows = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.rows} transactions"
