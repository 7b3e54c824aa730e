"""The GraphQL of the sample company: each of its lists as a field, and one list that was there before them."""

import graphene

from project.demo.drilling.schema import RigEventsQuery
from read_targets.graphql import ListField


class Query(RigEventsQuery, graphene.ObjectType):
    """The lists of the sample company."""

    cash_transactions = ListField("cashTransactions")
    accounts = ListField("accounts")
    exchange_rates = ListField("exchangeRates")
    wells = ListField("wells")
    connection_runs = ListField("connectionRuns")
    tenants = ListField("tenants")
    projects = ListField("projects")
    git_connections = ListField("gitConnections")
    conversations = ListField("conversations")
