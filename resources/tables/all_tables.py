"""Every declared table by its name."""

from resources.tables import fidelity, fidelity_statistics
from resources.tables.declare import Table

TABLES: dict[str, Table] = {
    table.name: table
    for module in (fidelity, fidelity_statistics)
    for table in vars(module).values()
    if isinstance(table, Table)
}
