"""The error for models that cannot be read."""


class UnreadableError(Exception):
    """A model, or a step before it, has no known score function.

    The message is one sentence that says why.
    """
