"""Numbers that `touchstone verdict` and truescore 0.7 both give, on ten files: equal, or the difference is explained.

truescore is no dependency: `python -m venv X && X/bin/pip install truescore==0.7`, then TRUESCORE_PYTHON=X/bin/python.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.accuracy.prediction_powered import prediction_powered_mean
from pipeline.command_line.verdict_result import Answer, Question, answer, verdict_values
from resources.inputs.ratings.layout import RatingColumns

SAME: Final = 1e-9
THEIRS: Final = """
import json, sys
import numpy as np
import truescore
from truescore.agreement import graded_agreement, judge_agreement
from truescore.correct import ppi_estimate, rogan_gladen_estimate
from truescore.agreement import krippendorff_alpha
import csv
found = {}
for path in sys.argv[1:]:
    rows = list(csv.DictReader(open(path)))
    judge = np.array([float(row["judge"]) for row in rows])
    gold = np.array([float(row["gold"]) if row["gold"] else np.nan for row in rows])
    seen = np.flatnonzero(~np.isnan(gold))
    one = {}
    if set(judge) <= {0.0, 1.0}:
        report = judge_agreement(judge[seen].astype(int), gold[seen].astype(int))
        for name in ("accuracy", "sensitivity", "specificity", "precision", "cohen_kappa", "gwet_ac1"):
            seen_as = getattr(report, name)
            one[name] = [seen_as.point, seen_as.low, seen_as.high]
        level = "nominal"
    else:
        report = graded_agreement(judge[seen], gold[seen])
        for name in ("exact_match", "quadratic_kappa", "mean_error", "mean_absolute_error", "spearman"):
            one[name] = [getattr(report, name), None, None]
        level = "ordinal"
    one["alpha"] = [krippendorff_alpha([judge[seen].tolist(), gold[seen].tolist()], level=level), None, None]
    if len(seen) < len(rows):
        ppi = ppi_estimate(judge, gold[seen], seen)
        one["ppi"] = [ppi.point, ppi.low, ppi.high]
        one["lambda"] = [ppi.lambda_, None, None]
        if level == "nominal":
            rate = rogan_gladen_estimate(judge.astype(int), gold[seen].astype(int), seen)
            one["rogan_gladen"] = [rate.point, rate.low, rate.high]
    found[path] = one
json.dump({"version": truescore.__version__, "files": found}, sys.stdout)
"""
# truescore's name: ours, against the only person.
OURS: Final = {
    "accuracy": "same label",
    "sensitivity": "good ones passed (sensitivity)",
    "specificity": "failures caught (specificity)",
    "precision": "precision of '1'",
    "cohen_kappa": "kappa",
    "gwet_ac1": "AC1",
    "quadratic_kappa": "kappa, quadratic weights",
    "mean_error": "judge - people",
    "mean_absolute_error": "mean absolute error",
    "spearman": "Spearman",
    "alpha": "alpha of people and judge",
}
WHY: Final = {
    "interval": "our interval is the jackknife's with Student's t; theirs is Wilson's or a percentile bootstrap",
    "ppi": "their lambda takes the variance of labelled objects, ours of all; at their lambda both give the same",
    "rogan_gladen": "their pass rate is of all objects, ours of those without a label; at theirs both give the same",
}


def write_files(folder: Path) -> list[Path]:
    """Six files of two labels, four of grades; of half of them people rated a part only."""
    random = np.random.default_rng(20261129)
    paths = []
    for place in range(10):
        n, labelled = (300, 300) if place % 2 else (600, 150)
        truth = random.standard_normal(n)
        if place < 6:
            limit = (0.0, 0.8, -1.3)[place // 2]
            gold, judge = (truth > limit, truth + 0.5 * random.standard_normal(n) > limit)
        else:
            top, noise = (3.0, 5.0)[place // 8], random.standard_normal((2, n)) * [[0.2], [0.6]]
            gold, judge = np.clip(np.rint(top / 2 + truth + noise), 0, top)
        shown = [str(int(one)) if k < labelled else "" for k, one in enumerate(gold)]
        path = folder / f"file{place}.csv"
        pd.DataFrame({"judge": np.asarray(judge).astype(int), "gold": shown}).to_csv(path, index=False)
        paths.append(path)
    return paths


def ours(path: Path) -> tuple[Answer, dict[str, Any]]:
    """The result of one file."""
    two = set(pd.read_csv(path)["judge"]) <= {0, 1}
    columns = RatingColumns(judges=("judge",), people=("gold",), positive=("1",) if two else ())
    said = answer(Question((str(path),), columns))
    return said, verdict_values(said)


def explained(said: Answer, name: str, theirs: dict[str, list[float]], value: float) -> str:
    """Why two values differ, shown by computing theirs from ours; "" where that is not so."""
    judge, people = said.judges["judge"], said.people.answers[:, 0]
    known = ~np.isnan(people)
    if name == "ppi":
        same = prediction_powered_mean(people[known], judge[known], judge[~known], tuning=theirs["lambda"][0])
        return WHY["ppi"] if abs(same.mean.value - value) < SAME else ""
    if name == "rogan_gladen":
        passed = people[known] == 1.0
        se, sp = judge[known][passed].mean(), 1.0 - judge[known][~passed].mean()
        return WHY["rogan_gladen"] if abs((judge.mean() + sp - 1.0) / (se + sp - 1.0) - value) < SAME else ""
    return ""


def main() -> None:
    """Print each number of both; exit 1 where one differs without a reason."""
    python = os.environ.get("TRUESCORE_PYTHON")
    if not python:
        print("skipped: TRUESCORE_PYTHON names no Python that has truescore 0.7")
        return
    unexplained, reasons, equal = [], dict[str, int](), 0
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(folder))
        began = time.perf_counter()
        run = subprocess.run([python, "-c", THEIRS, *map(str, paths)], capture_output=True, text=True, check=True)
        theirs_s, read = time.perf_counter() - began, json.loads(run.stdout)
        began = time.perf_counter()
        for path in paths:
            said, result = ours(path)
            [judge] = result["judges"]
            lines = {line["statistic"]: line for line in judge["statistics"]}
            corrected = {one["method"]: one["estimate"] for one in (judge["unrated"] or {"corrected": []})["corrected"]}
            lines |= {"ppi": corrected.get("PPI++"), "rogan_gladen": corrected.get("Rogan-Gladen")}
            theirs = read["files"][str(path)]
            for name, (value, low, high) in theirs.items():
                line = lines.get(OURS.get(name, name))
                if line is None:
                    continue
                print(f"{path.name}  {name:20} {value:10.6f} {line['value']:10.6f}  {line['ci']}  theirs {[low, high]}")
                if abs(line["value"] - value) < SAME:
                    equal += 1
                    differs = low is not None and line["ci"] and abs(line["ci"][0] - low) > SAME
                    why = WHY["interval"] if differs else ""
                else:
                    why = explained(said, name, theirs, value)
                    unexplained += [] if why else [f"{path.name} {name}: {value} and {line['value']}"]
                if why:
                    reasons[why] = reasons.get(why, 0) + 1
    print(f"truescore {read['version']}: {theirs_s:.1f} s; touchstone: {time.perf_counter() - began:.1f} s")
    print(f"{equal} values are equal to 1e-9")
    for why, count in reasons.items():
        print(f"{count} times {why}")
    for one in unexplained:
        print(f"UNEXPLAINED {one}")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
