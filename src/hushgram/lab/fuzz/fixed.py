"""What fuzzing has found so far, and what was done about it."""

FIXED = [
    ("plan", "lists within lists by the thousand: a RecursionError of the TOML reader",
     "refused in a sentence"),
    ("plan", "a whole number of more than 4,300 digits: a ValueError of Python",
     "refused in a sentence"),
    ("plan", "a key that is a list: a TypeError, since a list is no name", "refused in a sentence"),
    ("plan", "an exponent of twenty digits: decimal's InvalidOperation", "refused in a sentence"),
    ("release", "a forged count that is no number: a ValueError when it is asked",
     "counts are checked when a release is read"),
    ("parquet", "a column's name that is no UTF-8: a UnicodeDecodeError of Arrow",
     "refused in a sentence, before anything is spent"),
    ("ledger", "bytes that are no UTF-8 in the ledger's schema, which SQLite quotes in its "
     "complaint: a UnicodeDecodeError of Python", "the ledger is told to be damaged"),
    ("arguments", "a word of thousands of signs is repeated at full length in the message",
     "messages are cut in their middle, at 1,000 characters"),
    ("arguments", "a key without a name, `keys new ''`: a ValueError of Python",
     "refused in a sentence"),
    ("domain", "a newline in a name makes a message of two lines",
     "control characters in messages are written as \\u000a"),
    ("release", "a forged number of a group, up to 2^63: an array of that length, which fills the "
     "memory or is a ValueError", "groups are checked when a release is read"),
    ("release", "forged sums of sorted rows, of other parts: an IndexError when it is asked",
     "the parts are compared with those that follow from the sums when a release is read"),
    ("arguments", "a title of two thousand letters: a warning, and no picture below it",
     "titles are cut to three lines"),
    ("release", "noise without bounds: an OverflowError where an answer is printed",
     "an answer may be infinite, and says so"),
    ("release", "a forged count beyond 64 bits: blocks with a warning of NumPy's",
     "sizes of blocks end at 2^53"),
    ("release", "a name with an escape sequence in a forged release commands the reader's terminal",
     "what commands print is cleared of control characters and of turns of direction"),
]  # fmt: skip
