"""Accounts, charges and receipts: the record of the privacy budget."""

from hushgram.trusted.ledger.account import Account
from hushgram.trusted.ledger.chain import Entry
from hushgram.trusted.ledger.ledger import Ledger
from hushgram.trusted.ledger.location import ledger_path
from hushgram.trusted.ledger.receipt import Receipt
from hushgram.trusted.ledger.request import Finished, Ticket

__all__ = ["Ledger", "Account", "Entry", "Finished", "Receipt", "Ticket", "ledger_path"]
