"""Where the zones meet: charge the ledger, open a vault, run a mechanism, keep the release."""
