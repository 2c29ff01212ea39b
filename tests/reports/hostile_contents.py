"""A study whose names and reasons are out to do harm."""

from dataclasses import replace

from reports.fidelity.contents import Contents
from tests.reports.fidelity.made_contents import contents_of_size, frames_of
from tests.reports.made_size import Size

EVIL_IDS = (
    "<script>window.pwned=1</script>",
    "</script><script>window.pwned=2</script>",
    '"><img src=x onerror=window.pwned=3>',
    '<a href="javascript:window.pwned=4">click</a>',
    "=HYPERLINK(1,2)",
    "@SUM(1+1)",
    "../../etc/pass'wd\\\u2028",
    "\U0001f6cb\ufe0f sofa \u202e rtl {curly} %{x} ${money}",
    "x" * 200,
    "| pipe | and , comma ; \n line",
)


def hostile_contents() -> Contents:
    """The made study with evil in every place that a user or a judge can write to."""
    frames = frames_of(Size())
    for name in ("matched_scores", "study_objects", "human_scores", "stability", "golden_images", "judge_calls"):
        frame = frames[name]
        objects = frame["match_key" if name == "matched_scores" else "object"]
        place = [int(one, 16) % len(EVIL_IDS) for one in objects]
        frames[name] = frame.assign(item_id=[EVIL_IDS[at] for at in place])
    evil = "<img src=x onerror=window.pwned=3> because </script>"
    calls = frames["judge_calls"]
    frames["judge_calls"] = calls.assign(
        rationale=[[evil, '"quoted" & "{braces}"']] * len(calls), model_asked=EVIL_IDS[0]
    )
    test = frames["annotator_test"]
    named = test["annotator"].replace({"a1": EVIL_IDS[2], "a2": EVIL_IDS[8]})
    frames["annotator_test"] = test.assign(annotator=named, note=EVIL_IDS[1])
    agreement = frames["human_agreement"]
    frames["human_agreement"] = agreement.assign(group=agreement["group"].replace({"group 0": EVIL_IDS[3]}))
    contents = contents_of_size(**frames)
    return replace(contents, study=EVIL_IDS[1])
