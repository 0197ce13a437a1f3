"""Table of the catalog, which several adapters of one process open."""

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.table import Index, Table


def catalog_table(name: str) -> Table:
    """Return the table with all its indexes: the first adapter that connects declares them for every other one."""
    return Table(name, sorted_items=True, indexes=[Index(keys.WORK_INDEX, partition="work", sort="due")])
