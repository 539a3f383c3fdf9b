"""The Studio: a local page on which a steward publishes, with the budget in sight.

It calls what the command line calls, and shows the equivalent command on every screen. The server
listens on this computer only; `secrets`, `guard` and `server` say who may talk to it.

::

    browser ─▶ guard ─▶ app ─▶ forms ─▶ declaration ─▶ spending, suggest, ledger
               who may  what   texts    what is        the same calls as
               ask      is     of a     declared       the command line's
                        asked  page
"""
