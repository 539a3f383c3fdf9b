"""A receipt: proof that a release was charged to an account."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from hushgram.base.exact import from_text, to_text
from hushgram.errors import BadInput
from hushgram.trusted.ledger.chain import Entry

_ID = re.compile(r"[0-9a-f]{32}")
_SEAL = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Receipt:
    """A random id, the epsilon, and a seal of the ledger's entry.

    It has no sequence number, and the seal is salted with a secret of the ledger, so published
    releases do not reveal how many others there were, or when.
    """

    id: str
    epsilon: Fraction
    seal: str

    def to_json(self) -> dict[str, str]:
        return {"id": self.id, "epsilon": to_text(self.epsilon), "seal": self.seal}

    @classmethod
    def from_json(cls, data: Mapping[str, str]) -> Receipt:
        """Return the receipt in the output of `to_json`; raises BadInput for anything else."""
        try:
            receipt = cls(data["id"], from_text(data["epsilon"]), data["seal"])
            sound = bool(_ID.fullmatch(receipt.id) and _SEAL.fullmatch(receipt.seal))
        except (KeyError, TypeError, ValueError):
            sound = False
        if not sound:
            raise BadInput(
                "Invalid receipt: it needs an 'id' of 32 and a 'seal' of 64 hexadecimal "
                "digits, and an 'epsilon' such as '1/2'. Use the receipt from the release "
                "file unchanged."
            )
        return receipt

    @classmethod
    def of(cls, charge: Entry) -> Receipt:
        """Return the receipt of an entry of kind "charge"."""
        salted = charge.field("salt") + charge.hash
        seal = hashlib.sha256(salted.encode()).hexdigest()
        return cls(charge.field("receipt"), charge.budget("epsilon"), seal)


def new_id() -> str:
    return secrets.token_hex(16)


def new_salt() -> str:
    return secrets.token_hex(32)
