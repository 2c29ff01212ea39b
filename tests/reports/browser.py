"""A report opened in a browser: what it asked for and complained about, and what a person does with it."""

from pathlib import Path

from playwright.sync_api import Browser, Page, Route

WIDTHS = (390, 1440)
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
UNFOLD = "document.querySelectorAll('details.fold').forEach((one) => { one.open = true; })"
# Charts that were drawn while they were folded are drawn anew where their room is another.
ALL_DRAWN = """Array.from(document.querySelectorAll("[data-chart]"))
    .every((one) => !one.dataset.width || !one.clientWidth || one.dataset.width === String(one.clientWidth))"""
NUMBERS = """() => Array.from(document.querySelectorAll("[data-number]"))
    .filter((one) => one.checkVisibility()).map((one) => [one.value, one.textContent])"""

GROUND = "getComputedStyle(document.body).backgroundColor"
# Words whose colour is too near to that of what is behind them, as WCAG 2 measures it: each with its contrast. Words in
# a chart are on the chart's ground; black and white ones are on cells that were chosen for them.
FAINT_WORDS = """() => {
    const parts = (color) => color.match(/[0-9.]+/g).map(Number);
    const luminance = (color) => {
        const [r, g, b] = parts(color).slice(0, 3).map((one) => one / 255)
            .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (node) => {
        for (let one = node; one; one = one.parentElement) {
            const color = getComputedStyle(one).backgroundColor;
            if (!color.startsWith("rgba") || parts(color)[3] > 0) {
                return color;
            }
        }
        return "rgb(255, 255, 255)";
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const faint = new Set();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const of = node.parentElement;
        const chart = of.closest(".plot svg");
        if (!node.data.trim() || !of.checkVisibility() || of.closest("script, style, :disabled")
                || (chart && ["#000000", "#ffffff"].includes(of.getAttribute("fill")))) {
            continue;
        }
        const color = chart ? getComputedStyle(of).fill : getComputedStyle(of).color;
        const behind = ground(of);
        const [dark, light] = [luminance(color), luminance(behind)].sort((a, b) => a - b);
        const contrast = (light + 0.05) / (dark + 0.05);
        if (contrast < 4.5) {
            faint.add(`${contrast.toFixed(2)} ${color} on ${behind}: ${node.data.trim().slice(0, 40)}`);
        }
    }
    return Array.from(faint);
}"""


class Opened:
    """A page with everything that it asked for and complained about; its sections unfolded, unless they are tested."""

    def __init__(self, page: Page, file: Path, *, folded: bool = False) -> None:
        self.page, self.asked, self.said = page, [], []  # type: ignore[var-annotated]
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.route("**/*", self._only_files)
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]", timeout=20_000)
        if not folded:
            page.evaluate(UNFOLD)
            page.wait_for_function(ALL_DRAWN)

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


def same_numbers_in_italian(opened: Opened, drawn: str, english: str, italian: str, at_least: int) -> None:
    """Everything unfolded, then read in both languages.

    Args:
        opened: The page, in English.
        drawn: A condition of the browser's that holds once the charts speak Italian.
        english: Words of a heading.
        italian: The same words.
        at_least: More numbers than so many are on the page.
    """
    page = opened.page
    page.evaluate(OPEN_ALL)
    before, title = page.evaluate(NUMBERS), page.title()
    assert english in page.inner_text("main")
    choose_language(page, "it")
    page.wait_for_function(drawn)
    after = page.evaluate(NUMBERS)
    assert page.title() != title
    text = page.inner_text("main")
    assert italian in text
    assert english not in text
    assert len(before) > at_least
    assert sorted(value for value, _ in before) == sorted(value for value, _ in after)
    shown = dict.fromkeys((value, plain(digits).replace(",", "")) for value, digits in before)
    other = dict.fromkeys((value, plain(digits).replace(".", "").replace(",", ".")) for value, digits in after)
    assert shown.keys() == other.keys()


def read_in_the_dark(browser: Browser, file: Path) -> None:
    """On a dark page every word stands out from what is behind it; on paper the page is light."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="dark")
    page = Opened(context.new_page(), file).page
    page.evaluate(OPEN_ALL)
    assert page.evaluate(GROUND) == "rgb(20, 24, 31)"
    grounds = page.locator(".plot svg").evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
    assert set(grounds) <= {"rgb(20, 24, 31)"}
    assert page.evaluate(FAINT_WORDS) == []
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(GROUND) == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    context.close()


def fits_every_width(opened: Opened) -> None:
    """Nothing is wider than the window, in both languages."""
    page = opened.page
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for language in ("en", "it"):
            choose_language(page, language)
            page.wait_for_function(
                "Array.from(document.querySelectorAll('.plot svg')).every(one => one.clientWidth <= innerWidth)"
            )
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.said == []
