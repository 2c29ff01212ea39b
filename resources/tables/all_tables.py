"""Every declared table, by its group and by its name."""

from resources.tables import evaluation, fidelity, fidelity_decision, fidelity_golden, fidelity_statistics, pairwise
from resources.tables.declare import Table

BY_GROUP: dict[str, dict[str, Table]] = {
    "fidelity": {
        table.name: table
        for module in (fidelity, fidelity_statistics, fidelity_golden, fidelity_decision)
        for table in vars(module).values()
        if isinstance(table, Table)
    },
    "pairwise": {table.name: table for table in vars(pairwise).values() if isinstance(table, Table)},
    "evaluation": {table.name: table for table in vars(evaluation).values() if isinstance(table, Table)},
}
TABLES: dict[str, Table] = {name: table for tables in BY_GROUP.values() for name, table in tables.items()}
