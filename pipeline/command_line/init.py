"""`touchstone init`: a commented configuration to start from."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from pipeline.command_line.opening_options import Decimal, Encoding, Sheet
from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.runtime.partial_files import is_device

TEMPLATE = """\
# Touchstone's configuration. Paths are relative to this file. Secrets never go here: they stay in the environment.
# Lines that are commented out show the default, or, where they say "optional", an example.
study: {study}              # names the study in the ledger of judge calls
# fresh_within_hours: 26     # optional, with a nightly schedule on: the UI shows reports that are older as stale
# alerts: {on: [failed_gates, drift]}   # what TOUCHSTONE_ALERT_WEBHOOK is sent; also: failed_runs, advice
# made_up: {fidelity: [people]}   # optional: what is made up, of any study, so that results say so; also answers
# limits:                      # what one file of yours may hold at most, so that none fills the machine's memory
#   {yaml_bytes: 262144, yaml_depth: 50, yaml_values: 100000, columns: 10000, line_bytes: 16777216,
#    parquet_bytes: 4294967296}
# judges:                      # models that studies name, such as `judge: claude`; docs/judges.md has the providers
#   - name: gpt
#     model: "openai:gpt-5.4-mini"       # key in OPENAI_API_KEY
#   - name: own
#     model: "qwen2.5vl:7b"              # as it is called at base_url; the other keys as in `kind: openai` below
#     base_url: "http://127.0.0.1:8000/v1"
#     key_variable: OWN_KEY              # optional: the variable that holds the key
#     task: {prompt: own.txt, scale: [1, 5], answer: number}   # optional: a prompt of yours; also rubric, shows, object

fidelity:
  # --- your files ------------------------------------------------------------------------------------------
  human_scores: subjective.csv      # columns: 3D Object filename, Visual Fidelity (0-1), optional annotator
  references: references            # photos:  {references}/{item}/gt_1.png ... gt_5.png (png, jpg or webp)
  candidates: candidates            # renders: {candidates}/{item}/{hash8}.png, or candidate.png for a single object
  # manifest: {file: ratings.csv}   # optional, instead of the three: candidate, references, group, rater, score, source
  #                                 # in one file, with any names of images; `touchstone init --from ratings.csv`
  # scale: [1, 10]                  # optional: what people's scores run from and to, where that is not 0-1
  # texts: {file: answers.csv, scale: [1, 5]}   # optional: texts instead of photos and renders; docs/judges.md
  # catalogue: database.csv         # optional: job_id, product_id, variant, algo, category_l1..l3: adds categories
  # selected_objects: selected_objects.csv   # optional: judge these objects only
  # columns: {filename: 3D Object filename, score: Visual Fidelity, annotator: annotator}
  # algorithms: [rodin_multi, trellis_single, ...]   # names in your file names; the catalogue's count too
  # score_max: 1.0                  # a file on 0-100 needs 100
  # match_by: object                # or item: people and judge are averaged over an item's objects first
  # mismatched_objects: error       # or exclude: drop objects whose render is not the one people scored
  # max_missing_share: 0.05         # share of objects without usable images at which the study stops

  # --- the judge -------------------------------------------------------------------------------------------
  judge: {kind: local}              # appearance baseline, no network; image_side_px: 512, workers: all cores
  # judges: [gpt, own]              # optional, in place of judge: several of the list side by side (docs/judges.md)
  # judge: {kind: replay, path: calls.jsonl}   # optional: recorded calls, or a VFScore outputs/llm_calls/{model} folder
  #                                 # (scale: [1, 10] where they are scores without sub-scores)
  # judge:                          # optional: a vision model; OPENAI_BASE_URL, OPENAI_MODEL, OPENAI_API_KEY name it
  #   kind: openai
  #   model: gpt-4o-mini            # optional: instead of OPENAI_MODEL
  #   image_side_px: 768            # longer side of the images that are sent; image_format: jpeg, or png
  #   image_detail: auto            # or low, high
  #   answer_form: auto             # or json_schema, json_object, plain: what the server is asked for
  #   max_output_tokens: 1000
  #   reasoning_effort: none        # optional: some models take a temperature only so
  #   send_seed: true               # send_neutral_top_p: true; false for models that refuse them
  #   concurrency: 8                # calls under way at a time
  #   requests_per_minute: 60       # optional, like tokens_per_minute and requests_per_day: the provider's limits
  #   timeout_s: 120                # of one try
  #   attempts: 5                   # tries at one call within a run, while faults come
  #   longest_wait_s: 120           # a server that asks for a longer pause ends the run
  #   faults_until_open: 10         # faults in a row after which the provider counts as down
  #   budget_usd: 20                # optional: nothing beyond it is ever sent
  #   auto_budget_usd_per_day: 1    # optional: without it, schedules and sensors never ask a paid judge
  #   price: {input: 0, output: 0}  # optional: USD for a million tokens (also cached_input, cache_write), for a model
  #                                 # that the price table does not know; prices: prices.yaml names a table of yours
  # rubric_weights: {color_palette: 40, material_finish: 25, texture_identity: 15, texture_scale_placement: 20}
  # score_source: stated            # or recomputed: the weighted sum of the sub-scores
  # settings:
  #   baseline_temperature: 0.0
  #   baseline_top_p: 1.0
  #   temperatures: [0.2, 0.5, 0.8]
  #   top_ps: [1.0, 0.95, 0.9]
  # settings_of: {own: {temperatures: [0.2], top_ps: [1.0]}}   # of several judges: where one has settings of its own
  # repeats: 5                      # or {at_least: 3, at_most: 10, stop: half_width}: an object that is known well is
  #                                 # not asked again (docs/fidelity.md)
  # minimum_repeats: 3              # valid repeats that every object needs in a setting
  # max_incomplete_share: 0.05      # objects with fewer, at which a setting stops; up to it they are left out of all
  # aggregate: mean                 # or median: an object's score from its repeats
  # pass_score: 0.5                 # few_labels: the share of objects that people score at least this

  # --- what the gates ask for ------------------------------------------------------------------------------
  # thresholds:
  #   {icc: 0.85, median_mad: 0.05, ci_half_width: 0.02, spearman: 0.7, mae: 0.10, rmse: 0.15, json_validity: 0.98,
  #    effect_size: 0.8, stripes_effect_size: 1.5, hit_rate: 0.8, false_alarm_rate: 0.2, dose_response_r2: 0.6,
  #    stand_in_share: 0.5, drift_shift: 0.05, drift_icc: 0.85}
  # verdict:                        # docs/verdict.md: may the judge stand in for people
  #   required: [icc, median_mad, json_validity, spearman, stripes]   # what a yes needs besides; the rest is advice
  #   gate_on: bound                # or estimate: whether intervals have to prove what is required
  #   margin: 0.1                   # how far behind people's own agreement the judge may stay
  #   fewest_objects: 30            # with fewer the verdict cannot say
  # recommendation:
  #   method: auto                  # split: one half of the products chooses, the other reports; or optimism
  #   fewest_products_to_split: 12  # under which `auto` takes optimism
  #   weights: {icc: 0.25, json_validity: 0.25, human: 0.25, mad: 0.25}
  # golden: {n_items: 10}           # altered renders; also items, setting, stripes, hue_degrees, saturation,
  #                                 # brightness, blur_px, texture_scale, logo_share (an empty list leaves a kind
  #                                 # out), same_tolerance: 0.05, pairs: FILE of altered images of your own
  # annotators: expert              # or skilled, crowd: what the alternative annotator test grants a person
  # anchor: {n_objects: 10}         # also setting; judged again by `touchstone run drift`
  # bootstrap_resamples: 1000
  # confidence: 0.95
  # seed: 20260101

# pairwise:                         # study B: which image measure picks the photo that people pick
#   pairs_csv: pairs.csv            # series_id, compareID1, compareID2, LEFT, RIGHT; docs/pairwise.md has the others
#   image_root: photos              # {image_root}/{series_id, six digits}-{compareID + 1, two digits}.JPG
#   pairs_of: photos                # or texts: pairs_csv as MT-Bench or an arena writes it, and no image_root
#   judges: {}                      # of the list `judges`, whose task says `object: pair`: [gpt]; docs/judges.md
#   recorded_judges: []             # of texts: names in the column judge that are of models, such as gpt4_pair
#   own_sources: {}                 # whose texts are a judge's own: {gpt4_pair: [gpt-4]}
#   photo_number: compareID+1       # or `file` where it names photos, or a CSV: which photo a compareID is
#   dataset_name: phototriage       # optional, as all that follows; the values are the defaults or examples
#   columns: {LEFT: votes_left}     # our name of a column to the file's, where they differ
#   cluster_column: scene           # what several series share, such as a photographer; series where left out
#   orders: merged                  # or as_listed: a pair that was shown in both orders counts twice
#   min_agreement: 0.7              # share of votes for the winner that a judged pair needs
#   min_reviewers: 2
#   sample_size: 500                # so many pairs, drawn by seed; all where left out
#   max_missing_share: 0.05         # share of missing photos at which the study stops; 1: it warns only
#   clip_model: {architecture: ViT-B-32-quickgelu, tag: openai}   # also weights: a .safetensors file
#   clip_attributes:                # replaces the built-in seven
#     - {name: calm, positive: a calm photograph, negative: a busy photograph}
#   vit_model: {repository: google/vit-base-patch16-224}          # also weights: the model's folder
#   rule_based_methods: [sharpness_only, contrast_only, exposure_only, colorfulness_only, composite_balanced,
#                        composite_sharpness_focused, composite_exposure_focused]
#   dl_methods: [vit_base, clip_probe, efficientnet_probe]
#   composites: {crisp: {sharpness: 0.6, exposure: 0.4}}          # more mixtures of rule measures
#   own_methods: {warmth: methods/warmth.py}                      # docs/new-method.md; the file's code is run
#   rules_long_side: 1024           # fast mode of the rules, px; full resolution where left out
#   use_bradley_terry: true
#   tie_model: half_wins            # or davidson, rao_kupper: how votes for neither (column TIES) count
#   separation: prior               # or refuse: no strengths where some photos won every vote against the rest
#   output_dir: results             # else outputs/quality_benchmarks in the home
#   features_dir: features          # what is measured on photos, for studies to share; else in the home
#   save_per_pair_results: true
#   save_confusion_matrices: true
#   save_ranking_csvs: true
#   engine: local                   # or ray: photo features on many machines (docs/operating.md)
#   device: auto                    # or cuda, cuda:1, mps, cpu
#   batch_size: 32
#   decoding_threads: 4
#   shard_size: 50000               # photos in a file of features, the unit that is computed anew after a crash
#   folds: 5
#   verdict: {gate_on: bound, margin: 0.1, fewest_objects: 30, voters: crowd}   # docs/verdict.md
#   bootstrap_resamples: 1000       # of no effect: no interval of this study is resampled
#   confidence: 0.95
#   seed: 42

# evaluation:                       # study C: scores or multiple-choice answers against the truth
#   inbox: inbox                    # each file dropped here is a data set, named like the file
#   datasets:
#     my_metric:
#       file: metric.csv            # CSV, JSONL or Parquet
#       kind: scores                # optional: scores or answers; the truth tells
#       prediction: DSSIM           # optional: column, else final_score, quality_score, prediction or score
#       truth: mos                  # optional: column, else mos or metadata.mos
#       higher_is_better: false
#       scale: [0, 9]               # optional: what the truth runs from and to; a row outside is refused
#       cluster: ref_img            # optional: samples of one reference are one cluster
#       group_by: [[dst_type]]      # optional: breakdowns, outermost field first
#       same_scale: true            # optional: scores and truth share a scale: RMSE without a mapping too
#       mapping: logistic_4         # or logistic_5, cubic
#       opinion_sd: mos_sd          # optional, with votes: how far a sample's opinions spread, and how many there are
#       votes: n_votes
#       ties: 1e-12                 # optional: values nearer than this share of their size are one
#       skip_bad_rows: false        # true leaves out and counts rows that cannot be read
#       normalise_answers: true     # read "(B)", "Answer: B" and the like as the option B
#       gates: {min_srcc: 0.8}      # optional: also min_accuracy, max_paper_deviation
#     my_labels:
#       file: labels.csv
#       prediction: llm_label
#       truth: [ann, ben]           # each person's column: of scores their mean counts, of labels their majority
#       options: [pass, fail]       # optional: of every question, where rows do not name them
#   baseline: baseline.json         # optional: a paper's results
#   defaults: {}                    # what holds for files of the inbox, with the keys of a data set
#   max_unusable_share: 0.05        # share of a file's rows without a usable score or true answer at which a gate fails
#   bootstrap_resamples: 1000
#   bca_resamples: 10000
#   verdict: {fewest_objects: 30, spearman: 0.7}   # docs/verdict.md; what the lower bound of `spearman` has to reach
#   confidence: 0.95
#   workers: 1                      # processes; the numbers are the same for any number of them
#   seed: 42

# reliability:                      # study D: do two judges agree well enough to make ground truth
#   queries: queries.jsonl          # CSV, JSONL or Parquet: id, query, docs, judge1_score, judge2_score; or long
#   # postgres:                     # instead of `queries`: a table with float[] scores, one query a row
#   #   url_variable: TOUCHSTONE_SOURCE_URL   # names the address, which is a secret
#   #   table: ground_truth
#   #   documents_table: documents  # query_id, doc_id, document; documents are numbered where left out
#   columns: {}                     # our column name to your file's, such as {query: question}
#   scale: [0.0, 1.0]               # what the input's scores run from and to
#   # grades: [0, 1, 2, 3]          # instead of it: the input's grades or labels, the least relevant first
#   # relevant_from: 2              # the grade from which a document is relevant, in place of `threshold`
#   # people: [earlier]             # which judges are people: the others are held against them
#   # judges:                       # two or more that judge; left out, the scores stand in the input
#   #   meaning: {kind: embedding}  # offline, like lexical; both need `calibration`
#   #   words: {kind: lexical}
#   #   model: {kind: openai}       # with the keys of fidelity's openai judge, but for the images
#   #   earlier: {kind: recorded, path: answers.jsonl, scale: [0, 1]}   # query_id, doc_id, judge, prompt_version, score
#   # calibration: examples.jsonl   # query, document, relevance 0-1, of queries that are not judged
#   prompt_version: v1
#   # prompts: {v3: prompts/v3.txt} # your own prompts; v1 and recalibrated_v2 are built in
#   # prompt_scales: {v3: [0, 3]}   # what their answers run from and to, where that is not 0-1
#   threshold: 0.5                  # a score above it is relevant
#   # thresholds: {judge1: 0.55}    # of single judges
#   max_incomplete_share: 0.05      # documents that not every judge scored, at which the study stops
#   gate: {min_macro: 0.7, min_micro: 0.7, low_kappa: 0.4, max_low_share: 0.3}
#   review:
#     high_disagreement: 0.4        # scores further apart are in dispute, as are labels that differ
#     min_reviewed_share: 0.2       # of the disputed queries, before validating again
#     overlap: 0.1                  # of the disputed queries, offered to every reviewer: how well they agree
#     documents_at_a_time: 5
#     blind: true                   # scores stay hidden until the reviewer has voted
#     # guidelines: guidelines.md   # a text that reviewers can open: what counts as relevant
#   recalibration:                  # queries of low kappa are judged again under another prompt
#     prompt_version: recalibrated_v2
#     judges: {}                    # where others answer it than before, by the same names
#     held_out_share: 0.5           # of these queries, not to be read for a new prompt
#   verdict: {gate_on: bound, fewest_objects: 30}   # docs/verdict.md
#   bootstrap_resamples: 1000
#   confidence: 0.95
#   seed: 20260101
"""

NEXT = """\
Wrote {path}. Name your files in it: section `fidelity` is there; `pairwise`, `evaluation` and `reliability` are
commented out; take the # off the ones that you want and leave out the others. Then:
  export TOUCHSTONE_HOME={home}
A, a judge's scores of renders against people's (score file, photos, renders):
  touchstone import fidelity    # checks the files, changes nothing
  touchstone run fidelity
B, which image measure picks the photo that people pick (CSV of votes, folder of photos):
  touchstone import pairwise    # or without any configuration: touchstone pairwise --pairs CSV --images FOLDER
  touchstone run pairwise
C, predicted scores or answers against the truth (a file for each data set):
  touchstone run evaluation     # or without any configuration: touchstone evaluate correlation FILE
D, whether two judges of relevance agree well enough to make ground truth (queries, documents, scores):
  touchstone import reliability # or of a file without any configuration: touchstone import reliability FILE
  touchstone run reliability    # then says what is due: touchstone review, accept-thresholds, recalibrate
"""


def init(
    folder: Annotated[Path, typer.Argument(help="Folder of your study; all that is made for it goes there too.")],
    force: Annotated[bool, typer.Option(help="Replace a configuration that is there.")] = False,
    from_file: Annotated[
        Path | None,
        typer.Option("--from", help="A file of yours: the configuration is for it.", metavar="FILE"),
    ] = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
) -> None:
    """Write a commented configuration, touchstone.yaml; with --from for the study that a file of yours is for."""
    from resources.configuration.place import FILE_NAME

    path = folder / FILE_NAME
    if is_device(folder) or is_device(path) or (folder.exists() and not folder.is_dir()):
        raise UserError(
            f"{folder} is a file or a device, which is no place for a configuration. "
            "Name a folder; it is made if it is missing."
        )
    if path.exists() and not force:
        replaced = "Use --force to replace it." if from_file is None else "Name another folder, or move it away."
        raise UserError(f"{path} is there already. {replaced}")
    opening = {"sheet": sheet, "encoding": encoding, "decimal": decimal}
    if from_file is not None:
        if force:
            raise UserError("`--from` never replaces a configuration. Leave out `--force`.")
        _init_for(from_file, folder, path, opening)
        return
    for option, value in opening.items():
        if value is not None:
            raise UserError(f"`--{option}` is of the file that `--from` names. Name it, or leave `--{option}` out.")
    folder.mkdir(parents=True, exist_ok=True)
    # Braces are YAML's here, so no format string.
    path.write_text(TEMPLATE.replace("{study}", study_name(folder), 1), encoding="utf-8")
    terminal().print(NEXT.format(path=path, home=folder.absolute()), soft_wrap=True, highlight=False, end="")


def _init_for(file: Path, folder: Path, path: Path, opening: Mapping[str, str | None]) -> None:
    """The configuration of the study that a file is for, and what its columns are taken for."""
    from rich.text import Text

    from pipeline.command_line.init_from import LETTERS, drafted
    from pipeline.command_line.terminal import grid
    from resources.inputs.any_file import Opening

    if "://" in str(file):
        raise UserError(f"{file}: a configuration names local files. Copy it here.")
    found = drafted(file, folder, Opening(**opening))
    folder.mkdir(parents=True, exist_ok=True)
    section = "\n".join((f"{found.study}:   # study {LETTERS[found.study]}, of {found.name}", *found.lines))
    text = template_of(section).replace("{study}", study_name(folder), 1)
    for other, words in found.files:
        other.write_text(words, encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    console = terminal()
    table = grid("column", "taken for", "holds")
    for name, meaning, holds in found.taken:
        table.add_row(Text(name), Text(meaning), Text(holds[:60]))
    console.print(table)
    for remark in found.remarks:
        console.print(Text(remark, "yellow"))
    check = (
        ""
        if found.study == "evaluation"
        else f"  touchstone import {found.study}    # checks the file, changes nothing\n"
    )
    console.print(
        f"Wrote {path} for study {LETTERS[found.study]} ({found.study}). Correct it where a column means something "
        f"else. Then:\n  export TOUCHSTONE_HOME={folder.absolute()}\n{check}  touchstone run {found.study}",
        soft_wrap=True,
        highlight=False,
        markup=False,
    )


def template_of(section: str) -> str:
    """The commented configuration with one section, and what every study can have as comments."""
    head, begins, rest = TEMPLATE.partition("fidelity:\n")
    own, others = rest.split("\n# pairwise:", 1)
    commented = "".join(f"# {line}\n" if line else "#\n" for line in f"{begins}{own}".splitlines())
    every = "# --- every key that a study can have ------------------------------------------------------------\n"
    return f"{head}{section}\n\n{every}{commented}\n# pairwise:{others}"


def slug(words: str) -> str:
    """The words in lower case, letters and digits, with underscores between; empty where there are none."""
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def study_name(folder: Path) -> str:
    """A study's name from its folder's: lower case, letters, digits and underscores, and not the built-in one."""
    name = slug(folder.absolute().name)
    name = name if re.match(r"[a-z]", name) else f"study_{name}".strip("_")
    return f"{name}_study" if name == "sample" else name
