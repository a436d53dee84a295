"""The one exception for input that a user can mend."""


class InputError(ValueError):
    """Bad input: one line that says what is wrong, where, and how to mend it."""


class TooLarge(Exception):
    """An enumeration was refused because it would exceed its limit."""


class Unsupported(Exception):
    """A valid instance that a formulation cannot represent for solvers in floating point."""
