"""The ledger's lists."""

from read_targets.lists import ListDefinition, register_list

from .models import Account, CashTransaction, ExchangeRate

register_list(
    ListDefinition(
        "cashTransactions",
        CashTransaction,
        shown="date account.name counterparty flow amount status memo",
        searched="counterparty memo account.name",
        order="-date",
    )
)
register_list(ListDefinition("accounts", Account, searched="name", order="name"))
register_list(ListDefinition("exchangeRates", ExchangeRate, order="-day currency"))
