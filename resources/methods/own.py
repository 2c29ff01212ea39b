"""Methods that a user adds as a Python file: loaded from the path that the configuration names, from nowhere else."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from resources.errors import UserError, listed, nearest
from resources.methods.contract import ImageMethod, Method, PairMethod
from resources.methods.features import MEASURES

OBJECT = "method"
SHOW = "docs/new-method.md shows one."


def own_method(name: str, path: Path) -> Method:
    """The object `method` of a user's file. The file's code runs with the rights of whoever runs the study.

    Args:
        name: What the configuration calls it.
        path: A local file; never an address, never a module found by name.

    Raises:
        UserError: There is no such file, it fails, or what it defines is no method of this name.
    """
    if path.suffix != ".py" or not path.is_file():
        raise _fault(name, path, "is no Python file on this machine.", "Put it there, or correct the path.")
    found = getattr(_module(name, path), OBJECT, None)
    if found is None:
        raise _fault(name, path, f"defines no `{OBJECT}`.", SHOW)
    if isinstance(found, type):
        raise _fault(name, path, f"defines `{OBJECT}` as a class.", f"Make one of it: `{OBJECT} = {found.__name__}()`.")
    if not isinstance(found, ImageMethod | PairMethod):
        raise _fault(name, path, f"`{OBJECT}` lacks `name`, `needs`, or one of `score` and `pair_scores`.", SHOW)
    if found.name != name:
        raise _fault(name, path, f"`{OBJECT}.name` is '{found.name}'.", f"Call it '{name}' in both places.")
    for stage in found.needs:
        if isinstance(found.needs, str) or stage not in MEASURES:
            what = f"`{OBJECT}.needs` is {found.needs!r}{nearest(str(stage), MEASURES)}."
            raise _fault(name, path, what, f"Write a tuple of stages out of {listed(MEASURES)}.")
    return found


def _module(name: str, path: Path) -> ModuleType:
    # A name that no import statement can spell: a file called numpy.py takes nobody's place.
    known_as = f"own method {name}"
    spec = importlib.util.spec_from_file_location(known_as, path)
    if spec is None or spec.loader is None:
        raise _fault(name, path, "cannot be loaded as Python.", "Save it as text, in UTF-8.")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up there.
    sys.modules[known_as] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[known_as]
        raise _fault(name, path, f"fails when it is loaded ({type(error).__name__}: {error}).", "Mend it.") from error
    return module


def _fault(name: str, path: Path, problem: str, remedy: str) -> UserError:
    return UserError(f"own_methods.{name}: {path} {problem} {remedy}")
