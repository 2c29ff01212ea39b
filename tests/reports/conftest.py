"""The browser that reports are tested in, and the studies behind the reliability report."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from reports.reliability.contents import Contents
from tests.built import Built
from tests.reports.reliability.made_reliability import contents_in, failing_study, recalibrated_study
from tests.small_relevance import study_in


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True, locale="en-US")
    yield made
    made.close()


@pytest.fixture(scope="session")
def passed(built: Built) -> Contents:
    """A reliability study that passes once queries were judged again."""
    return contents_in(study_in(built("passed", recalibrated_study) / "home"))


@pytest.fixture(scope="session")
def failed(built: Built) -> Contents:
    """One that was validated once and failed."""
    return contents_in(study_in(built("failed", failing_study) / "home"))
