"""What a model costs: the price table with its name, dates and sources, and what a call comes to."""

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import yaml
from pydantic import Field, ValidationError

from analysis.gates import Gate, at_most
from resources.configuration.fidelity import LocalJudge, ReplayJudge
from resources.configuration.openai_judge import ImageDetail, OpenAIJudge, Price
from resources.configuration.section import Section
from resources.configuration.yaml_text import KeyFaults, values_in_yaml
from resources.errors import UserError, did_you_mean
from resources.judges.openai.access import Access, access_of

TILE_PX = 512
TILED_WITHIN_PX, TILED_SHORT_SIDE_PX = 2048, 768
BUILT_IN: Final = Path(__file__).parent / "prices.yaml"
OLDEST_DAYS: Final = 180
PER: Final = 1_000_000  # prices are for a million tokens
OWN_SERVER: Final = "a server of your own: nothing is charged"
# The newest change of a price in genai-prices 0.2.3: its tables are read no later than the release after it.
GENAI_PRICES_READ_ON: Final = date(2026, 11, 9)
_SNAPSHOT_PARTS = 3  # a dated snapshot of a model ends in -2024-08-06
NAME = "prices_are_recent"


class Tiles(Section):
    """A base and so many tokens for each tile of 512 px, of the picture reduced to 768 px on its shorter side."""

    rule: Literal["tiles"]
    base: int = Field(ge=0)
    tile: int = Field(ge=0)

    def tokens(self, width_px: int, height_px: int, detail: ImageDetail) -> int:
        """Tokens of one picture."""
        if detail == "low":
            return self.base
        shrunk = min(1.0, TILED_WITHIN_PX / max(width_px, height_px))
        width, height = width_px * shrunk, height_px * shrunk
        shrunk = min(1.0, TILED_SHORT_SIDE_PX / min(width, height))
        return self.base + self.tile * math.ceil(width * shrunk / TILE_PX) * math.ceil(height * shrunk / TILE_PX)


class Patches(Section):
    """So many tokens for each patch, up to a number of patches to which larger pictures are reduced."""

    rule: Literal["patches"]
    side_px: int = Field(32, ge=1)
    times: float = Field(1.0, gt=0)
    most: int = Field(10_000, ge=1)

    def tokens(self, width_px: int, height_px: int, detail: ImageDetail) -> int:
        """Tokens of one picture."""
        patches = math.ceil(width_px / self.side_px) * math.ceil(height_px / self.side_px)
        return math.ceil(min(patches, self.most) * self.times)


class Flat(Section):
    """As many tokens for every picture."""

    rule: Literal["flat"]
    each: int = Field(ge=0)

    def tokens(self, width_px: int, height_px: int, detail: ImageDetail) -> int:
        """Tokens of one picture."""
        return self.each


ImageRule = Annotated[Tiles | Patches | Flat, Field(discriminator="rule")]


def most_tokens(rule: Tiles | Patches | Flat, side_px: int, detail: ImageDetail) -> int:
    """Tokens of the dearest picture whose longer side is `side_px`: by tiles, that is not always the square one."""
    return max(rule.tokens(side_px, short_px, detail) for short_px in range(1, side_px + 1))


UNKNOWN_FAMILY: Final = Patches(rule="patches", side_px=28)


class PricedModel(Price):
    """One model's prices, from a day on, with the day and page on which they were read."""

    model: str
    read_on: date
    source: str
    valid_from: date | None = None
    images: ImageRule = UNKNOWN_FAMILY


class PriceTable(Section):
    """A named list of prices in USD for a million tokens."""

    name: str
    models: tuple[PricedModel, ...] = Field(min_length=1)


@dataclass(frozen=True)
class ModelPrice:
    """What one model costs, in USD for a million tokens, and where that stands; `read_on` is null for one's own.

    `above` is a number of tokens, and the price of a call that reads more of them.
    """

    input: float
    output: float
    cached_input: float
    cache_write: float
    images: ImageRule = UNKNOWN_FAMILY
    table: str = "the configuration"
    read_on: date | None = None
    source: str = "`price` in the judge's section"
    above: "tuple[int, ModelPrice] | None" = None

    @property
    def is_free(self) -> bool:
        """Whether no call costs anything."""
        return not any((self.input, self.output, self.cached_input, self.cache_write))

    def usd(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0, tokens_written: int = 0) -> float:
        """What tokens cost; those served from a cache or written to one are part of `tokens_in`."""
        if self.above and tokens_in > self.above[0]:
            return self.above[1].usd(tokens_in, tokens_out, tokens_cached, tokens_written)
        plain = max(0, tokens_in - tokens_cached - tokens_written)
        read = plain * self.input + tokens_cached * self.cached_input + tokens_written * self.cache_write
        return (read + tokens_out * self.output) / PER

    def most_usd(self, tokens_in: int, tokens_out: int) -> float:
        """What tokens cost at most, whatever a cache does."""
        if self.above and tokens_in > self.above[0]:
            return self.above[1].most_usd(tokens_in, tokens_out)
        dearest = max(self.input, self.cached_input, self.cache_write)
        return (tokens_in * dearest + tokens_out * self.output) / PER

    def age_days(self, today: date | None = None) -> int | None:
        """Days since the price was read; null for a price of one's own."""
        return None if self.read_on is None else ((today or datetime.now(UTC).date()) - self.read_on).days

    @property
    def sentence(self) -> str:
        """Table, date and source in one line."""
        if self.source == OWN_SERVER:
            return OWN_SERVER.capitalize()
        if self.read_on is None:
            return f"{self.source}: {self.input:g} in, {self.output:g} out (USD a million tokens)"
        return (
            f"{self.table}: {self.input:g} in, {self.cached_input:g} cached, {self.output:g} out (USD a million "
            f"tokens), read {self.read_on} from {self.source}"
        )


def price_of(
    model: str,
    configuration: OpenAIJudge,
    today: date | None = None,
    *,
    own_server: bool = False,
    base_url: str | None = None,
) -> ModelPrice:
    """The price of a model: the configuration's own, else the price table's, else what genai-prices has.

    Args:
        model: As it is asked for.
        configuration: Of the judge.
        today: The day of the price; today where left out.
        own_server: Whether no one charges for the server: a model that the table does not know is free there.
        base_url: The server's address. Where it is a known provider's, the package genai-prices prices those of its
            models that the built-in table does not know; a table of one's own stays alone.

    Raises:
        UserError: The table cannot be read, or the model is not known: what would be spent could not be limited.
    """
    table = price_table(configuration.prices)
    today = today or datetime.now(UTC).date()
    known = _in_force(table, model, today)
    images = known.images if known else UNKNOWN_FAMILY
    if configuration.price is not None:
        return _model_price(configuration.price, images)
    if known is None and own_server:
        return ModelPrice(0.0, 0.0, 0.0, 0.0, source=OWN_SERVER)
    if known is None and base_url and not configuration.prices and (price := _of_a_provider(model, base_url, today)):
        return price
    if known is None:
        names = sorted({row.model for row in table.models})
        raise UserError(
            f"{table.name} has no price for '{model}'{did_you_mean(model, names)}, so no budget could be kept. Give it "
            "in the judge's section, in USD for a million tokens: `price: {input: 2.5, output: 10}`; for a server of "
            "your own `price: {input: 0, output: 0}`."
        )
    price = _model_price(known, images)
    return ModelPrice(**{**vars(price), "table": table.name, "read_on": known.read_on, "source": known.source})


def price_table(path: Path | None = None) -> PriceTable:
    """The built-in table, or one of the user's own in the same form.

    Raises:
        UserError: The file is missing or has another form.
    """
    file = path or BUILT_IN
    try:
        written = file.stat()
        return _read(file, written.st_mtime_ns, written.st_size)
    except OSError as problem:
        raise UserError(f"The price table {file} cannot be read: {problem.strerror}.") from problem
    except (yaml.YAMLError, KeyFaults, UnicodeDecodeError) as problem:
        raise UserError(f"The price table {file} is not readable YAML: {problem}") from problem
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise UserError(f"The price table {file}: {where}: {first['msg']}. {BUILT_IN} shows the form.") from problem


@lru_cache(8)
def _read(file: Path, mtime_ns: int, size: int) -> PriceTable:
    """Read once for each state of the file: a program that runs for long sees what is changed in it."""
    return PriceTable.model_validate(values_in_yaml(file))


def _in_force(table: PriceTable, model: str, today: date) -> PricedModel | None:
    """The latest row of a model that is valid; a dated snapshot without a row of its own costs what its model does."""
    name = model.removeprefix("models/")
    for wanted in (name, _without_date(name)):
        rows = [row for row in table.models if row.model == wanted and (row.valid_from or date.min) <= today]
        if rows:
            return max(rows, key=lambda row: row.valid_from or date.min)
    return None


def _without_date(name: str) -> str:
    parts = name.rsplit("-", _SNAPSHOT_PARTS)
    is_dated = len(parts) == _SNAPSHOT_PARTS + 1 and all(part.isdigit() for part in parts[1:])
    return parts[0] if is_dated else name


def _model_price(price: Price, images: ImageRule) -> ModelPrice:
    cached = price.input if price.cached_input is None else price.cached_input
    written = price.input if price.cache_write is None else price.cache_write
    return ModelPrice(price.input, price.output, cached, written, images)


def _of_a_provider(model: str, base_url: str, today: date) -> ModelPrice | None:
    """What genai-prices has for a model at a provider's address, without a network.

    Null where it has nothing, or where more than the number of tokens decides: the time of day, or a fee for a request.
    """
    # Imported here: it takes a second, and few models need it.
    import genai_prices
    from genai_prices.types import Tier, TieredPrices, TimeOfDateConstraint

    noon = datetime.combine(today, time(12), UTC)
    try:
        found = genai_prices.calc_price(
            genai_prices.Usage(), model, provider_api_url=base_url, genai_request_timestamp=noon
        )
    except (LookupError, ValueError):
        return None
    kinds = ("input", "output", "cache_read", "cache_write")
    rates: list[Any] = [getattr(found.model_price, f"{kind}_mtok", None) for kind in kinds]
    dated = found.model.prices if isinstance(found.model.prices, list) else []
    by_the_hour = any(isinstance(one.constraint, TimeOfDateConstraint) for one in dated)
    if None in rates[:2] or by_the_hour or getattr(found.model_price, "requests_kcount", None):
        return None
    tiered = [rate for rate in rates if isinstance(rate, TieredPrices)]
    above: tuple[int, ModelPrice] | None = None
    for start in sorted({0, *(tier.start for rate in tiered for tier in rate.tiers)}, reverse=True):
        input_, output, cached, written = (
            max((tier.start, tier.price) for tier in (Tier(-1, rate.base), *rate.tiers) if tier.start <= start)[1]
            if isinstance(rate, TieredPrices)
            else rate
            for rate in rates
        )
        price = ModelPrice(
            float(input_),
            float(output),
            float(input_ if cached is None else cached),
            float(input_ if written is None else written),
            table=f"genai-prices {genai_prices.__version__}",
            read_on=GENAI_PRICES_READ_ON,
            source=next(iter(found.provider.pricing_urls or []), found.provider.name),
            above=above,
        )
        above = (start, price)
    return price


def price_age_gate(judge: LocalJudge | ReplayJudge | OpenAIJudge, today: date | None = None) -> Gate:
    """Days since the model's price was read against 180; a judge without a price from a table passes and says so.

    Raises:
        UserError: The judge has no model or no price.
    """
    needed = f"<= {OLDEST_DAYS} days"
    if not isinstance(judge, OpenAIJudge):
        return Gate(NAME, True, None, needed, f"The judge {judge.kind} costs nothing.")
    access = access_of(judge)
    model, price = (
        access.model,
        price_of(access.model, judge, today, own_server=access.is_own, base_url=access.base_url),
    )
    age = price.age_days(today)
    if price.source == OWN_SERVER:
        return Gate(NAME, True, None, needed, f"'{model}' is on {OWN_SERVER}.")
    if age is None:
        return Gate(NAME, True, None, needed, f"The price of '{model}' is the configuration's own: {price.sentence}.")
    if age < 0:
        remedy = f"It was read on {price.read_on}, which is still to come. Correct `read_on`."
        text = f"Age of the price of '{model}' is {age} days over 1 model; needed: 0 to {OLDEST_DAYS} days. {remedy}"
        return Gate(NAME, False, float(age), needed, text, 1, None, remedy, limit=OLDEST_DAYS)
    gate = at_most(
        NAME,
        float(age),
        OLDEST_DAYS,
        n=1,
        counted="model",
        what=f"Age of the price of '{model}'",
        unit="days",
        remedy=f"It was read on {price.read_on} from {price.source}. Look it up and set `price`, or update the table.",
    )
    return gate._replace(sentence=f"{price.sentence}, {age} days ago.") if gate.passed else gate


def costs_money(judge: Section, access: Access | None = None) -> bool:
    """Whether a call may cost money; false only where it is known that none does.

    Args:
        judge: As configured.
        access: Server and model; as configuration and environment name them where left out.
    """
    if not isinstance(judge, OpenAIJudge):
        return False
    if judge.price is not None:
        return any(judge.price.model_dump().values())
    try:
        asked = access or access_of(judge)
        return not price_of(asked.model, judge, own_server=asked.is_own).is_free
    except UserError:
        # A request reports what is missing; until then it must not be taken for free.
        return True
