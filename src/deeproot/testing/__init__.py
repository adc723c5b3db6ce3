"""Public fakes: a scripted backend, a clock that runs fast, a disk that fails, a model server. No mocks needed."""

from .fakes import FakeClock, FaultyDisk, ListSearcher, Script, Scripted, ScriptedBackend, answer_text
from .obliging import oblige
from .requests import ROUTED_COST, HttpError, Mishap, ModelRequest, Served
from .server import ModelServer

__all__ = [
    "ROUTED_COST",
    "FakeClock",
    "FaultyDisk",
    "HttpError",
    "ListSearcher",
    "Mishap",
    "ModelRequest",
    "ModelServer",
    "Script",
    "Scripted",
    "ScriptedBackend",
    "Served",
    "answer_text",
    "oblige",
]
