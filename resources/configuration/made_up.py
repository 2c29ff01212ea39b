"""What of a study's input is made up, such as the people of a sample: every result says so."""

from typing import Literal

# The people's scores and votes; the answers of judges and models; those under the second prompt; a scripted reviewer.
MadeUp = Literal["people", "answers", "second_prompt", "reviewer"]
StudyName = Literal["fidelity", "pairwise", "evaluation", "reliability"]
