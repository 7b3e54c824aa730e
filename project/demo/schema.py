"""The GraphQL of the sample company: its lists, one that was there before them, and what can be changed."""

import graphene

from project.demo.drilling.schema import RigEventsQuery
from project.demo.factory.schema import FactoryMutation
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


class Mutation(FactoryMutation, graphene.ObjectType):
    """What can be changed in the sample company."""
