"""The one exception of the statistics: the data do not define this number."""

from analysis.messages import Value, message


class UndefinedStatistic(ValueError):
    """The data do not define the statistic; the message says why, in words for a table's reason column."""

    def __init__(self, template: str, /, **values: Value) -> None:
        """Say why, with a template and values as in `message`."""
        self.reason = message(template, **values)
        super().__init__(self.reason)
