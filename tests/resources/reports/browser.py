"""A report opened in a browser: what it asked for and complained about, and what a person does with it."""

from pathlib import Path

from playwright.sync_api import Page, Route

WIDTHS = (390, 1440)
NUMBERS = """() => Array.from(document.querySelectorAll("[data-number]"))
    .filter((one) => one.checkVisibility()).map((one) => [one.value, one.textContent])"""


class Opened:
    """A page with everything that it asked for and complained about."""

    def __init__(self, page: Page, file: Path) -> None:
        self.page, self.asked, self.said = page, [], []  # type: ignore[var-annotated]
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.route("**/*", self._only_files)
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]", timeout=20_000)

    def _only_files(self, route: Route) -> None:
        self.asked.append(route.request.url)
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            route.abort()


def choose_language(page: Page, language: str) -> None:
    page.click(f'[data-language="{language}"]')
    page.wait_for_function(f"document.documentElement.lang === '{language}'")


def plain(number: str) -> str:
    return number.replace("\u2212", "-").replace(" ", "")


def download(page: Page, selector: str) -> str:
    with page.expect_download() as waiting:
        page.click(selector)
    return Path(waiting.value.path()).read_bytes().decode("utf-8")
