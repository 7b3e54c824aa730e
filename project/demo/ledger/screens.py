"""The ledger's screens and their addresses."""

from django.urls import path

from project.demo.screens import ListScreen

app_name = "ledger"
urlpatterns = [
    path("cash-transactions/", ListScreen.as_view(list_name="cashTransactions"), name="cash-transactions"),
    path("accounts/", ListScreen.as_view(list_name="accounts"), name="accounts"),
    path("exchange-rates/", ListScreen.as_view(list_name="exchangeRates"), name="exchange-rates"),
]
