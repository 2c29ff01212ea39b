"""Writes the file by which a report's page draws its charts: Vega, Vega-Lite and vega-embed, as vl-convert has them.

Making it takes seconds, which every report would take, so it is kept in the checkout.
"""

import gzip
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).resolve().parents[1] / "reports" / "shared" / "library" / "vega.js.gz"


def bundle() -> bytes:
    """The packed file; the same version of vl-convert gives the same bytes."""
    import vl_convert

    return gzip.compress(vl_convert.javascript_bundle().encode(), 9, mtime=0)


if __name__ == "__main__":
    FILE.write_bytes(bundle())
