"""Attack every operation and mechanism with statistics. NONPRIVATE.

``hushgram lab audit`` runs each on neighbouring tables and computes a lower bound on its epsilon
(see `hushgram.lab.bound`). All bounds of an audit hold simultaneously with confidence 1 - 10^-6, so
a correct mechanism is convicted at most once in a million audits. With the default number of runs,
a mechanism with 1.25 times the claimed loss is convicted with a probability above 99 %: see
`power`.

``run``             the fast audit
``finding``         the claimed epsilon, the lower bound, and the power of the audit
``operations``      operations of the vault, on
``count_pairs``, ``sum_pairs``, ``choice_pairs``   pairs of tables that differ the most
``mechanisms``      mechanisms from end to end, with their pairs of tables
"""

from hushgram.lab.audit.finding import ALPHA, Finding, power
from hushgram.lab.audit.mechanisms import (
    MechanismPair,
    accepts,
    audit_mechanism,
    features_of,
    mechanism_pairs,
    neighbours_by,
)
from hushgram.lab.audit.operations import audit_operation
from hushgram.lab.audit.pairs import OperationPair
from hushgram.lab.audit.run import FAST_RUNS, audit, operation_pairs

__all__ = [
    "ALPHA",
    "FAST_RUNS",
    "Finding",
    "MechanismPair",
    "OperationPair",
    "accepts",
    "audit",
    "audit_mechanism",
    "audit_operation",
    "features_of",
    "mechanism_pairs",
    "neighbours_by",
    "operation_pairs",
    "power",
]
