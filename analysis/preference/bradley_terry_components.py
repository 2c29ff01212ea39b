"""Which images votes connect, and which of these groups have strengths at all."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.preference.bradley_terry_counts import Counts, Floats


class Components(NamedTuple):
    """Connected groups of images, numbered from 0; `sizes` and `strong` have one entry per component.

    `strong`: whichever way the images are split in two, each side beat or tied the other. Only then is the likelihood's
    maximum finite.
    """

    of_image: NDArray[np.intp]
    n: int
    sizes: NDArray[np.intp]
    strong: NDArray[np.bool_]

    @property
    def first_images(self) -> NDArray[np.intp]:
        """The lowest image number of each component."""
        return np.unique(self.of_image, return_index=True)[1]

    def centred(self, values: Floats) -> Floats:
        """Values less their mean over the component.

        Args:
            values: Shape ``(k,)`` or ``(k, m)``, one row per image; columns are centred on their own.

        Returns:
            The same shape.
        """
        means = (self._membership @ values).T / self.sizes
        return np.asarray(values - means.T[self.of_image])

    def place_in(self, components: NDArray[np.intp]) -> NDArray[np.intp]:
        """The how-manieth of its component each entry is, from 0, in the order given.

        Args:
            components: Shape ``(n,)``, the component of each entry.

        Returns:
            Shape ``(n,)``.
        """
        order = np.argsort(components, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(components, minlength=self.n))])
        place = np.empty(components.size, dtype=np.intp)
        place[order] = np.arange(components.size) - starts[components[order]]
        return place

    @property
    def _membership(self) -> "scipy.sparse.csr_array":
        size = self.of_image.size
        return scipy.sparse.csr_array((np.ones(size), (self.of_image, np.arange(size))), shape=(self.n, size))


def connected(counts: Counts) -> Components:
    """The components of the images that votes connect.

    Args:
        counts: Votes; a tie connects like a win of each side.

    Returns:
        Components in the order of their lowest image.

    Source:
        Ford (1957), Am. Math. Mon. 64:28-33 (the condition for a finite maximum).
    """
    n = counts.n_images
    beats = [
        (winner[won], loser[won])
        for winner, loser, won in (
            (counts.first, counts.second, counts.wins_first + counts.ties > 0),
            (counts.second, counts.first, counts.wins_second + counts.ties > 0),
        )
    ]
    winners, losers = (np.concatenate(side) for side in zip(*beats, strict=True))
    graph = scipy.sparse.csr_array((np.ones(winners.size), (winners, losers)), shape=(n, n))
    n_components, of_image = scipy.sparse.csgraph.connected_components(graph, directed=False)
    _, part = scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")
    # A component is strongly connected when all of its images lie in one strongly connected part.
    parts = np.bincount(of_image[np.unique(part, return_index=True)[1]], minlength=n_components)
    order = np.argsort(np.unique(of_image, return_index=True)[1])
    rank = np.empty(n_components, dtype=np.intp)
    rank[order] = np.arange(n_components)
    sizes = np.bincount(of_image, minlength=n_components)
    return Components(rank[of_image], int(n_components), sizes[order], (parts == 1)[order])
