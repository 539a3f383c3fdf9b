"""Accounts, charges, receipts: the privacy budget, remembered."""

from hushgram.trusted.ledger.account import Account
from hushgram.trusted.ledger.chain import Entry
from hushgram.trusted.ledger.ledger import Ledger
from hushgram.trusted.ledger.location import ledger_path
from hushgram.trusted.ledger.receipt import Receipt
from hushgram.trusted.ledger.request import Finished, Ticket
from hushgram.trusted.ledger.sqlite import SqliteLedger

__all__ = [
    "Ledger",
    "SqliteLedger",
    "Account",
    "Entry",
    "Finished",
    "Receipt",
    "Ticket",
    "ledger_path",
]
