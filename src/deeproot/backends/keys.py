"""Keys for model providers: from the environment or the operating system's keyring, never from a project's files.

A key is shown to nobody: whatever leaves a backend goes through `without_secrets` first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from importlib import import_module
from importlib.util import find_spec

from ..asks import Failure, Reply, Seen

SERVICE = "deeproot"
REDACTED = "[key]"
SHORTEST = 4
"""A value shorter than this is a placeholder, and too common a string to take out of texts."""
SHORTEST_HELD = 8
SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$")
"""How the names of variables end that hold what is nobody's business."""


def find_key(variables: Sequence[str]) -> str | None:
    """The first of these that is set; otherwise the keyring's password of that name for the service `deeproot`."""
    for variable in variables:
        if value := os.environ.get(variable, "").strip():
            return value
    return next(filter(None, map(_from_keyring, variables)), None)


def _from_keyring(name: str) -> str | None:
    """None also when there is no keyring, or when it is locked: then the environment is the way."""
    if not find_spec("keyring"):
        return None
    keyring = import_module("keyring")
    try:
        value = keyring.get_password(SERVICE, name)
    except (keyring.errors.KeyringError, OSError):
        return None
    return value.strip() if isinstance(value, str) else None


def redact(text: str, key: str | None) -> str:
    """The text without the key."""
    return text.replace(key, REDACTED) if key and len(key) >= SHORTEST else text


def without_secrets(result: Reply | Failure, key: str | None = None) -> Reply | Failure:
    """What a backend gives back, without the key it used and without any other that the environment holds.

    Programs inherit the environment, and may print what is in it.
    """
    held = (value.strip() for name, value in os.environ.items() if SECRET.search(name))
    secrets = sorted({value for value in held if len(value) >= SHORTEST_HELD}, key=len, reverse=True)

    def clean(text: str) -> str:
        return reduce(redact, (key, *secrets), text)

    if isinstance(result, Failure):
        return replace(result, message=clean(result.message))
    seen = (Seen(clean(each.location), clean(each.text), clean(each.title)) for each in result.seen)
    return replace(result, text=clean(result.text), seen=tuple(seen))
