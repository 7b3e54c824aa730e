"""The lists of drilling."""

from read_targets.lists import ListDefinition, register_list

from .models import ConnectionRun, Well

register_list(ListDefinition("wells", Well, searched="name field", order="name"))
register_list(
    ListDefinition(
        "connectionRuns",
        ConnectionRun,
        shown="started_at well.name crew connections minutes feet hours weight_on_bit",
        searched="crew well.name",
        order="-started_at",
    )
)
