"""Methods that a user adds as a Python file: loaded from the path that the configuration names, from nowhere else."""

import ast
import importlib.util
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from analysis.undefined import UndefinedStatistic
from resources.errors import UserError, did_you_mean, listing
from resources.photos.methods.contract import ImageMethod, Method, PairMethod
from resources.photos.methods.features import MEASURES, Features, Floats, Pairs
from resources.photos.methods.scoring import one_for_each, two_for_each_pair

OBJECT, NEEDS = "method", "needs"
SHOW = "docs/new-method.md shows one."
# Modules that documented methods imported under another name: a file written then goes on working.
DOCUMENTED_BEFORE = {
    "resources.images": "resources.photos.images",
    "analysis.preference_head": "analysis.preference.head",
}


@dataclass(frozen=True)
class OwnImageMethod:
    """A user's method that scores images; what goes wrong in the file is said in one sentence."""

    name: str
    needs: tuple[str, ...]
    path: Path
    made: ImageMethod

    def score(self, features: Features) -> Floats:
        """What the file's `score` gives.

        Raises:
            UserError: It fails, or gives something else than a number for each image.
        """
        with _told(self.name, self.path, "in `score`"):
            scores = self.made.score(features)
        return one_for_each(_called(self.name, self.path), scores, len(features), "image")


@dataclass(frozen=True)
class OwnPairMethod:
    """A user's method that learns; what goes wrong in the file is said in one sentence."""

    name: str
    needs: tuple[str, ...]
    path: Path
    made: PairMethod

    def pair_scores(
        self, features: Features, pairs: Pairs, series: NDArray[np.generic], folds: int, seed: int
    ) -> tuple[Floats, Floats]:
        """What the file's `pair_scores` gives.

        Raises:
            UserError: It fails, or gives something else than two numbers for each pair.
        """
        with _told(self.name, self.path, "in `pair_scores`"):
            both = self.made.pair_scores(features, pairs, series, folds, seed)
        return two_for_each_pair(_called(self.name, self.path), both, pairs.first.size)


def own_method(name: str, path: Path) -> Method:
    """The object `method` of a user's file. The file's code runs with the rights of the study's user.

    Args:
        name: What the configuration calls it.
        path: A local file; never an address, never a module found by name.

    Raises:
        UserError: There is no such file, it fails, or what it defines is no method of this name.
    """
    if path.suffix != ".py" or not path.is_file():
        raise _fault(name, path, "is no Python file on this machine.", "Put it there, or correct the path.")
    with _told(name, path, "when it is loaded"):
        return _method(name, path, getattr(_module(name, path), OBJECT, None))


def needs_written_in(path: Path) -> tuple[str, ...] | None:
    """The stages that a user's file names as `needs`, without running it.

    Returns:
        Null where the file cannot be read, or `needs` is set in another way than to stages that are written out.
    """
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: set[str] | None = None
    # The name or attribute where it is set, and the same words as a text, by which `setattr` may set it.
    places = [node for node in ast.walk(tree) if NEEDS in (getattr(node, "id", ""), getattr(node, "attr", ""))]
    places += [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value == NEEDS]
    places += [node for node in ast.walk(tree) if NEEDS in (getattr(node, "name", ""), getattr(node, "arg", ""))]
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if not isinstance(node, ast.Assign | ast.AnnAssign) or len(targets) != 1 or targets[0] not in places:
            continue
        try:
            needs = ast.literal_eval(node.value) if node.value is not None else None
        except ValueError:
            return None
        if not isinstance(needs, tuple | list) or not all(stage in MEASURES for stage in needs):
            return None
        found = (found or set()) | set(needs)
        places.remove(targets[0])
    return None if found is None or places else tuple(sorted(found))


def _method(name: str, path: Path, found: object) -> Method:
    if found is None:
        raise _fault(name, path, f"defines no `{OBJECT}`.", SHOW)
    if isinstance(found, type):
        raise _fault(name, path, f"defines `{OBJECT}` as a class.", f"Make one of it: `{OBJECT} = {found.__name__}()`.")
    if not isinstance(found, ImageMethod | PairMethod):
        raise _fault(name, path, f"`{OBJECT}` lacks `name`, `needs`, or one of `score` and `pair_scores`.", SHOW)
    if found.name != name:
        raise _fault(name, path, f"`{OBJECT}.name` is '{found.name}'.", f"Call it '{name}' in both places.")
    needs = found.needs
    unknown = [one for one in needs if one not in MEASURES] if isinstance(needs, tuple | list) else [needs]
    if unknown:
        what = f"`{OBJECT}.needs` is {needs!r}{did_you_mean(str(unknown[0]), MEASURES)}."
        raise _fault(name, path, what, f"Write a tuple of stages out of {listing(MEASURES)}.")
    if isinstance(found, PairMethod):
        return OwnPairMethod(name, tuple(needs), path, found)
    return OwnImageMethod(name, tuple(needs), path, found)


def _module(name: str, path: Path) -> ModuleType:
    # A name that no import statement can spell: a file called numpy.py replaces nothing.
    known_as = f"own method {name}"
    spec = importlib.util.spec_from_file_location(known_as, path)
    if spec is None or spec.loader is None:
        raise _fault(name, path, "cannot be loaded as Python.", "Save it as text, in UTF-8.")
    module = importlib.util.module_from_spec(spec)
    for before, now in DOCUMENTED_BEFORE.items():
        if before in path.read_text(encoding="utf-8", errors="replace"):
            warnings.warn(f"{path} imports {before}, which is now {now}.", FutureWarning, stacklevel=2)
            sys.modules[before] = importlib.import_module(now)
    # Dataclasses look their module up there.
    sys.modules[known_as] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[known_as]
        raise
    return module


@contextmanager
def _told(name: str, path: Path, when: str) -> Iterator[None]:
    """What the file's code raises as an error of the user who wrote it; an undefined score is none.

    `sys.exit` in it must not end the run as if all were well; an interruption by the keyboard ends it.
    """
    try:
        yield
    except (UndefinedStatistic, _OwnFault):
        raise
    except (Exception, SystemExit) as error:
        # A traceback has the path absolute, whatever way the configuration names it.
        own = path.resolve()
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == own]
        line = error.lineno if isinstance(error, SyntaxError) and not lines else lines[-1] if lines else None
        where = f" at line {line}" if line else ""
        what = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        raise _fault(name, path, f"fails {when} ({what.rstrip('.')}){where}.", "Fix it.") from error


class _OwnFault(UserError):
    """Has method, file and remedy already."""


def _fault(name: str, path: Path, problem: str, remedy: str) -> UserError:
    return _OwnFault(f"{_called(name, path)} {problem} {remedy}")


def _called(name: str, path: Path) -> str:
    return f"own_methods.{name}: {path}"
