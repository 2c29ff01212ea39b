"""Every declared table, by its group and by its name."""

from resources.tables import evaluation, pairwise
from resources.tables.declare import Table
from resources.tables.fidelity import decision, golden, scores, statistics
from resources.tables.reliability import agreement
from resources.tables.reliability import decision as reliability_decision

MODULES = {
    "fidelity": (scores, statistics, golden, decision),
    "pairwise": (pairwise,),
    "evaluation": (evaluation,),
    "reliability": (agreement, reliability_decision),
}
BY_GROUP: dict[str, dict[str, Table]] = {
    group: {table.name: table for module in modules for table in vars(module).values() if isinstance(table, Table)}
    for group, modules in MODULES.items()
}
TABLES: dict[str, Table] = {name: table for tables in BY_GROUP.values() for name, table in tables.items()}
