"""Accounts, cash transactions, exchange rates, and who was granted single transactions."""

from django.contrib.auth.models import Group, Permission
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

from read_targets.lists import SearchIndex


class Account(models.Model):
    """Where money lies. Grants on single accounts stand in django-guardian's generic tables."""

    name = models.CharField(_("name"), max_length=60, unique=True)
    currency = models.CharField(_("currency"), max_length=3)
    opened = models.DateField(pgettext_lazy("account", "opened"))

    class Meta:
        verbose_name = _("account")
        verbose_name_plural = _("accounts")

    def __str__(self) -> str:
        return self.name


class CashTransaction(models.Model):
    """Money that came in (a positive amount) or went out (a negative one), in the currency of its account."""

    class Flow(models.TextChoices):
        """In or out."""

        INCOME = "INCOME", _("Income")
        EXPENSE = "EXPENSE", _("Expense")

    class Status(models.TextChoices):
        """How far the book-keeping has come."""

        DRAFT = "DRAFT", _("Draft")
        BOOKED = "BOOKED", _("Booked")
        CANCELLED = "CANCELLED", _("Cancelled")

    date = models.DateField(_("date"))
    account = models.ForeignKey(Account, on_delete=models.CASCADE, verbose_name=_("account"))
    # Null is "not known yet" and the empty text is "known to be nobody": the lists must keep the two apart.
    counterparty = models.CharField(_("counterparty"), max_length=120, null=True, blank=True)  # noqa: DJ001
    flow = models.CharField(_("flow"), max_length=10, choices=Flow)
    amount = models.DecimalField(_("amount"), max_digits=12, decimal_places=2)
    status = models.CharField(_("status"), max_length=10, choices=Status)
    memo = models.TextField(_("memo"), null=True, blank=True)  # noqa: DJ001
    booked_at = models.DateTimeField(_("booked at"), null=True, blank=True)

    class Meta:
        verbose_name = _("cash transaction")
        verbose_name_plural = _("cash transactions")
        indexes = [
            # The list's own order, with what its counts and sums need; as columns, since SQLite knows no INCLUDE.
            models.Index(fields=["-date", "-id", "amount", "status"], name="ledger_cash_by_date"),
            SearchIndex(fields=["counterparty", "memo"], name="ledger_cash_search"),
        ]

    def __str__(self) -> str:
        return f"{self.date} {self.amount}"


class CashTransactionUserGrant(UserObjectPermissionBase):
    """A person's grant on one transaction; a table of its own, because grants on transactions are many."""

    content_object = models.ForeignKey(CashTransaction, on_delete=models.CASCADE)
    # The unique index begins with the person; one of each further column would double the table.
    user = models.ForeignKey("auth.User", on_delete=models.CASCADE, db_index=False)
    permission = models.ForeignKey(Permission, on_delete=models.CASCADE, db_index=False)

    class Meta(UserObjectPermissionBase.Meta):
        verbose_name = _("grant of a person")
        verbose_name_plural = _("grants of people")


class CashTransactionGroupGrant(GroupObjectPermissionBase):
    """A group's grant on one transaction."""

    content_object = models.ForeignKey(CashTransaction, on_delete=models.CASCADE)
    group = models.ForeignKey(Group, on_delete=models.CASCADE, db_index=False)
    permission = models.ForeignKey(Permission, on_delete=models.CASCADE, db_index=False)

    class Meta(GroupObjectPermissionBase.Meta):
        verbose_name = _("grant of a group")
        verbose_name_plural = _("grants of groups")


class ExchangeRate(models.Model):
    """What one unit of a currency is worth in won, to six digits."""

    day = models.DateField(_("day"))
    currency = models.CharField(_("currency"), max_length=3)
    rate = models.DecimalField(_("rate"), max_digits=15, decimal_places=6)

    class Meta:
        verbose_name = _("exchange rate")
        verbose_name_plural = _("exchange rates")
        constraints = [models.UniqueConstraint(fields=["day", "currency"], name="ledger_one_rate_a_day")]

    def __str__(self) -> str:
        return f"{self.currency} {self.day}"
