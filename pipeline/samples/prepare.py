"""The sample inputs, written when the built-in study is the one that runs and they are not there yet."""

from rich.console import Console

from resources.configuration.place import configuration_file
from resources.runtime.home import Home


def prepare_samples(home: Home, console: Console) -> bool:
    """Write the samples unless a configuration names the user's own; whether the built-in study is what runs."""
    if configuration_file(home) is not None:
        return False
    from pipeline.samples.evaluation import write_evaluation_samples
    from pipeline.samples.fidelity import write_fidelity_samples
    from pipeline.samples.pairwise import write_pairwise_samples
    from pipeline.samples.reliability import write_reliability_samples, write_review_samples

    with console.status("Writing sample inputs (once, seconds)"):
        write_fidelity_samples(home.samples / "fidelity")
        write_evaluation_samples(home.samples / "evaluation")
        write_pairwise_samples(home.samples / "pairwise")
        write_reliability_samples(home.samples / "reliability")
        write_review_samples(home.samples / "reliability_by_review")
    (home.local / "inbox").mkdir(exist_ok=True)
    return True
