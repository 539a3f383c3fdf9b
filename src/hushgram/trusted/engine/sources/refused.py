"""Formats that are refused, each with a command that converts it.

In these, one row can change how others are read, or whether the file can be read at all; or no
maintained library reads them.
"""

from __future__ import annotations

from hushgram.errors import SourceError

PANDAS = "python -c \"import pandas; pandas.{read}('{name}').to_parquet('{stem}.parquet')\""
GEOPANDAS = "python -c \"import geopandas; geopandas.read_file('{name}').to_file('{stem}.gpkg')\""
CONVERT = {
    ".xls": PANDAS.replace("{read}", "read_excel"),
    ".xlsb": PANDAS.replace("{read}", "read_excel"),
    ".ods": PANDAS.replace("{read}", "read_excel"),
    ".json": PANDAS.replace("{read}", "read_json"),
    ".xml": PANDAS.replace("{read}", "read_xml"),
    ".dta": PANDAS.replace("{read}", "read_stata"),
    ".sav": PANDAS.replace("{read}", "read_spss"),
    ".sas7bdat": PANDAS.replace("{read}", "read_sas"),
    ".xpt": PANDAS.replace("{read}", "read_sas"),
    ".orc": PANDAS.replace("{read}", "read_orc"),
    ".h5": PANDAS.replace("{read}", "read_hdf"),
    ".pkl": PANDAS.replace("{read}", "read_pickle"),
    ".geojson": GEOPANDAS,
    ".shp": GEOPANDAS,
    ".fgb": GEOPANDAS,
    ".gml": GEOPANDAS,
    ".kml": GEOPANDAS,
    ".duckdb": "duckdb {name} \"COPY TABLE_NAME TO '{stem}.parquet'\"",
    ".avro": "duckdb -c \"COPY (FROM read_avro('{name}')) TO '{stem}.parquet'\"",
    ".arrows": 'python -c "import pyarrow as pa, pyarrow.parquet as pq; '
    "pq.write_table(pa.ipc.open_stream('{name}').read_all(), '{stem}.parquet')\"",
    ".rds": "Rscript -e \"arrow::write_parquet(readRDS('{name}'), '{stem}.parquet')\"",
    ".txt": "cp {name} {stem}.csv",
    ".dat": "cp {name} {stem}.csv",
    ".tab": "cp {name} {stem}.tsv",
    ".geoparquet": GEOPANDAS.replace("read_file", "read_parquet"),
    ".gz": "gunzip --keep {name}",
    ".bz2": "bunzip2 --keep {name}",
    ".zst": "unzstd {name}",
    ".xz": "xz --decompress --keep {name}",
    ".lz4": "lz4 --decompress {name}",
    ".7z": "7z x {name}",
    ".rar": "unrar x {name}",
    ".tar": "tar -xf {name}",
    ".tgz": "tar -xf {name}",
}
SUPPORTED = (
    "CSV and TSV (also .gz, .zst, .bz2, .zip), Parquet, Arrow and Feather, JSON lines (.jsonl), "
    "Excel (.xlsx), SQLite (.db, .sqlite) and GeoPackage (.gpkg)"
)


def refuse(name: str) -> SourceError:
    """Return an error that says why a file cannot be opened, and what to do.

    >>> print(refuse("trips.shp"))
    Unsupported file format ".shp". Convert it with: python -c "import geopandas; \
geopandas.read_file('trips.shp').to_file('trips.gpkg')"
    """
    stem, dot, ending = name.rpartition(".")
    suffix = f"{dot}{ending}".lower()
    if stem and suffix in CONVERT:
        line = CONVERT[suffix].format(name=name, stem=stem)
        return SourceError(f'Unsupported file format "{suffix}". Convert it with: {line}')
    found = f'Unsupported file format "{suffix}": {name}' if stem else f"No file extension: {name}"
    return SourceError(f"{found}. Supported: {SUPPORTED}.")
