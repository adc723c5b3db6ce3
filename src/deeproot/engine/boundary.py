"""The boundary of a turn: whatever happens in it, it comes to events, and to no other turn's harm."""

from __future__ import annotations

import traceback
from collections.abc import Mapping

from ..clock import Clock
from ..errors import BackendError, DeeprootError, first_of_ours
from ..events import Event, LimitReached, TagRaised, TurnStarted
from ..hats import Hat
from ..hats.turn import StepFailed
from ..knowledge.sources import SourceStore
from ..project.journal import Batch
from ..project.templates import Templates
from ..search import Searcher
from ..state import State
from .budget import BudgetOut
from .ledger import Ledger
from .mishap import failed, instead, must_report
from .perform import Performer
from .turns import RecordedTurn, Steps


class Boundary:
    """Lets hats act, and keeps what a turn's end means for the run.

    `failure` says why the run cannot go on, `lost` is a backend that gives no answers any more, and `refused` the limit
    that an ask ran into, until the engine has taken note of it.
    """

    def __init__(
        self,
        state: State,
        steps: dict[str, Steps],
        hats: Mapping[str, Hat],
        performers: Mapping[str, Performer],
        searcher: Searcher,
        sources: SourceStore,
        templates: Templates,
        ledger: Ledger,
        clock: Clock,
    ) -> None:
        self._state = state
        self._steps = steps
        self._hats = hats
        self._performers = performers
        self._searcher = searcher
        self._sources = sources
        self._templates = templates
        self._ledger = ledger
        self._clock = clock
        self.failure = ""
        self.lost: BackendError | None = None
        self.refused: LimitReached | None = None

    async def act(self, started: TurnStarted) -> Batch | None:
        """What a turn concludes; None when its backend is lost.

        The only place where any error is caught: it fails this turn and no other.
        """
        hat = self._hats[started.hat]
        turn = self._turn_of(hat, started)
        try:
            if self._state.limit and hat.stand_in and not self._state.growths:
                return instead(self._state, hat, started, self._state.limit.detail)
            events = await _act(hat, turn)
            return Batch((*events, *(TagRaised(tag, started.topic) for tag in turn.raised)), started.turn)
        except BudgetOut as out:
            self.refused = out.limit
            return instead(self._state, hat, started, out.limit.detail)
        except BackendError as error:
            if must_report(self._state, hat):
                return instead(self._state, hat, started, str(error))
            self.lost = error
            return None
        except StepFailed as failure:
            return self._failed(hat, started, failure.step, failure.error)
        except DeeprootError:
            raise
        except Exception as error:
            self._ledger.log(traceback.format_exc())
            return self._failed(hat, started, "", f"{type(error).__name__}: {error}")

    def _turn_of(self, hat: Hat, started: TurnStarted) -> RecordedTurn:
        return RecordedTurn(
            self._state,
            started,
            self._performers.get(hat.name) or self._performers[hat.role],
            self._searcher,
            self._sources,
            self._templates,
            self._steps.setdefault(started.turn, {}),
            self._ledger.keep,
            self._clock,
        )

    def _failed(self, hat: Hat, started: TurnStarted, step: str, error: str) -> Batch:
        self._ledger.log(f"{started.phase} {started.topic or '-'} {step}: {error}\n")
        mishap = failed(self._state, hat, started, step, error)
        self.failure = self.failure or mishap.fatal
        return mishap.batch


async def _act(hat: Hat, turn: RecordedTurn) -> list[Event]:
    """Where a turn does things side by side, an error comes in a bundle; it means what it means alone."""
    try:
        return await hat.act(turn)
    except ExceptionGroup as errors:
        raise first_of_ours(errors) from errors
