"""The one exception of the statistics: the data do not define this number."""


class UndefinedStatistic(ValueError):
    """The data do not define the statistic; the message says why, in words for a table's reason column."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
