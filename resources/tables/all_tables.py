"""Every declared table, by its group and by its name."""

from resources.tables import (
    evaluation,
    fidelity,
    fidelity_decision,
    fidelity_golden,
    fidelity_statistics,
    pairwise,
    reliability,
    reliability_decision,
)
from resources.tables.declare import Table

MODULES = {
    "fidelity": (fidelity, fidelity_statistics, fidelity_golden, fidelity_decision),
    "pairwise": (pairwise,),
    "evaluation": (evaluation,),
    "reliability": (reliability, reliability_decision),
}
BY_GROUP: dict[str, dict[str, Table]] = {
    group: {table.name: table for module in modules for table in vars(module).values() if isinstance(table, Table)}
    for group, modules in MODULES.items()
}
TABLES: dict[str, Table] = {name: table for tables in BY_GROUP.values() for name, table in tables.items()}
