"""Dagster's instance in the home: the one that the UI, the command line and schedules share."""

import os
import shutil

import dagster as dg

from resources.configuration.load import load_configuration
from resources.home import CHECKOUT, Home


def prepare_instance(home: Home) -> None:
    """Make DAGSTER_HOME with the root's dagster.yaml and name it to this process and its children.

    Raises:
        UserError: The home holds another study.
    """
    home.claim(load_configuration(home).study)
    home.dagster.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(CHECKOUT / "dagster.yaml", home.dagster / "dagster.yaml")
    os.environ["DAGSTER_HOME"] = str(home.dagster)


def open_instance(home: Home) -> dg.DagsterInstance:
    """The instance of this home; use it as a context manager."""
    prepare_instance(home)
    return dg.DagsterInstance.get()
