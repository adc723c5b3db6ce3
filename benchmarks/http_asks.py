"""Measure what an ask over HTTP costs us: CPU per ask against a bare client of the same library.

    python benchmarks/http_asks.py [--asks 200]

Both send the same request to the same scripted server on loopback, which runs in a process of its own; they take
turns, so that both see the same machine. Exits 1 when an ask through the performer and the backend costs more than
twice the CPU of the bare client.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import anyio
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from deeproot.answers import schema
from deeproot.asks import ANSWERS, Ask, Kind, PlanInputs, Reply
from deeproot.backends import BackendSettings, http
from deeproot.backends.http.backend import MANNER
from deeproot.clock import RealClock
from deeproot.engine.perform import Performer
from deeproot.testing import ModelServer

LIMIT = 2.0
ROUNDS = 7
PROMPT = "- At most 3 topics. " + "The tide pulls every boat along its chain. " * 250
ASK = Ask(Kind.PLAN, PROMPT, PlanInputs("Why?", 3))
FORM = ModelRequestParameters(
    output_mode="native", output_object=OutputObjectDefinition(schema(ANSWERS[Kind.PLAN]), name=Kind.PLAN)
)

Once = Callable[[], Awaitable[None]]


def serve() -> None:
    """Until the parent goes away."""
    with ModelServer() as server:
        print(server.root, flush=True)
        sys.stdin.read()


@contextmanager
def served() -> Iterator[str]:
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()


def bare(shape: str, root: str) -> Once:
    """The library alone, with the client it makes for itself."""
    model: Model
    if shape == "anthropic":
        model = AnthropicModel("claude-haiku-4-5", provider=AnthropicProvider(api_key="none", base_url=root))
    else:
        compatible = OpenAICompatibleProvider("own", base_url=f"{root}/v1", api_key="none")
        model = OpenAIChatModel("scripted", provider=compatible)

    async def once() -> None:
        request = ModelRequest(parts=[UserPromptPart(PROMPT)], instructions=MANNER)
        async with model_request_stream(model, [request], model_request_parameters=FORM) as stream:
            async for _ in stream:
                pass
            assert stream.get().parts

    return once


def ours(shape: str, root: str) -> Once:
    """The way a run goes."""
    if shape == "anthropic":
        backend = http.open_anthropic(BackendSettings(f"claude-haiku-4-5@{root}"))
    else:
        backend = http.open_openai(BackendSettings(f"scripted@{root}/v1"))
    performer = Performer(backend, RealClock())

    async def once() -> None:
        assert isinstance(await performer.perform(ASK), Reply)

    return once


async def cpu(once: Once, asks: int) -> float:
    """CPU seconds per ask of this process."""
    began = time.process_time()
    for _ in range(asks):
        await once()
    return (time.process_time() - began) / asks


async def compare(shape: str, root: str, asks: int) -> tuple[float, float]:
    """Medians of the bare client and of ours."""
    ways = bare(shape, root), ours(shape, root)
    for way in ways:
        await cpu(way, 10)
    rounds = [[await cpu(way, asks) for way in ways] for _ in range(ROUNDS)]
    one, other = (statistics.median(column) for column in zip(*rounds, strict=True))
    return one, other


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asks", type=int, default=200, help="per round")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
        return 0
    worst = 0.0
    with served() as root:
        for shape in ("openai", "anthropic"):
            one, other = anyio.run(compare, shape, root, arguments.asks)
            worst = max(worst, other / one)
            print(
                f"{shape:<10} bare {one * 1000:5.2f} ms, ours {other * 1000:5.2f} ms CPU per ask = {other / one:.2f} ×"
            )
    print(f"limit {LIMIT:.0f} ×")
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
