"""Compare mechanisms by experiment. NONPRIVATE: it uses true answers, which its results reveal.

``patterns``   shapes that generated data can have
``data``       true counts under a name, scaled to a size as DPBench does
``catalogue``  data sets by name, from ``sources``: ``generators``, arrays, tables
``workloads``  questions: ranges, boxes, prefixes, marginals, quantiles
``measures``   error measures
``contender``  a mechanism with parameters, as it is written on the command line
``grid``       data x mechanisms x ε x workloads x runs: cells, each named by a hash
``work``       running a grid in a folder, which can be resumed
``tables``     means with intervals, and regret against the best of a set
``plots``      error against ε
"""

from hushgram.lab.evaluate.catalogue import data_set, data_sets
from hushgram.lab.evaluate.data import DataSet
from hushgram.lab.evaluate.grid import ExperimentGrid
from hushgram.lab.evaluate.measures import MEASURES
from hushgram.lab.evaluate.tables import regrets, summary
from hushgram.lab.evaluate.work import Results, run
from hushgram.lab.evaluate.workloads import WORKLOADS

__all__ = [
    "DataSet", "data_set", "data_sets", "ExperimentGrid", "Results", "run", "summary", "regrets",
    "MEASURES", "WORKLOADS",
]  # fmt: skip
