"""The citation gate: is every quote in its kept source, and does the source say what the sentence says?

By code alone. What code leaves in doubt may be put to a model (`doubts`), which can settle a doubt and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ..checks import CitationCheck, Excerpt
from ..evidence import WORD_FOR_WORD, Judgement, Span, find_quote, judge, nearest_passages
from ..model import Verdict
from ..report.numbering import Citation
from .jointly import rests_on_all, strange_address
from .quoting import Quoting, Text, quoting

CONTEXT = 240  # characters shown on either side of a passage
LONGEST = 900  # of a passage
ASKABLE = (Verdict.SUPPORTED, Verdict.PARTIAL, Verdict.UNSUPPORTED)


class Lost(StrEnum):
    """Why the text of a source is not there to be looked at."""

    MISSING = "the source is not kept any more"
    ALTERED = "the kept source was altered"


TextOf = Callable[[str], Text | Lost]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model said of a doubtful citation; `verdict` is `unverifiable` when it could not be asked."""

    verdict: Verdict
    reason: str
    by: str


def verdicts_on(citations: Sequence[Citation], text_of: TextOf) -> tuple[CitationCheck, ...]:
    """A verdict for every citation, in their order. A sentence that cites several sources may rest on all of them."""
    together: dict[str, list[int]] = defaultdict(list)
    for at, citation in enumerate(citations):
        together[citation.sentence].append(at)
    checks: dict[int, CitationCheck] = {}
    for places in together.values():
        checks |= zip(places, _together([citations[at] for at in places], text_of), strict=True)
    return tuple(checks[at] for at in range(len(citations)))


def _together(citations: Sequence[Citation], text_of: TextOf) -> list[CitationCheck]:
    """The verdicts on the citations of one sentence."""
    texts = _texts(citations, text_of)
    checks = [_check(citation, text_of, texts) for citation in citations]
    sentence, held = citations[0].sentence, all(citation.sha256 for citation in citations)
    if held and (address := strange_address(sentence, [citation.source for citation in citations], texts)):
        reason = f"{address} is in no source it cites"
        return [_of(citation, Verdict.UNSUPPORTED, reason, firm=True) for citation in citations]
    if len(texts) > 1 and rests_on_all(sentence, texts):
        return _lifted(citations, checks)
    return checks


def _check(citation: Citation, text_of: TextOf, cited: Sequence[Text]) -> CitationCheck:
    if citation.sha256 is None:
        return _unheld(citation)
    text = text_of(citation.sha256)
    if isinstance(text, Lost):
        return _of(citation, Verdict.UNVERIFIABLE, text.value, firm=True)
    if find_quote(citation.quote, text.prepared) is None:
        return _nearest(citation, citation.quote, "the quote does not stand in the source", text)
    if told := quoting(citation, text, cited):
        return _quoted(citation, told, text)
    return _judged(citation, judge(citation.sentence, text.reading), text.text)


def _quoted(citation: Citation, told: Quoting, text: Text) -> CitationCheck:
    """Quotations that stand there are enough, as far as the sentence says nothing beside them."""
    if told.strange:
        return _nearest(citation, told.strange, f"“{told.strange}” does not stand in the source", text)
    if told.denied:
        verdict = Verdict.PARTIAL if told.beside else Verdict.REFUTED
        return _shown(citation, verdict, "the source has a “not” before the quotation", told.places[0], text)
    if told.complete and not told.beside:
        return _shown(citation, Verdict.SUPPORTED, WORD_FOR_WORD, told.places[0], text)
    beside = judge(told.beside, text.reading) if told.beside else None
    if beside and beside.firm and beside.verdict.failed:
        return _judged(citation, beside, text.text)
    return _judged(citation, judge(citation.sentence, text.reading), text.text)


def _nearest(citation: Citation, quote: str, reason: str, text: Text) -> CitationCheck:
    """A quote that is not there, with the place that is most like it."""
    near = nearest_passages(quote, text.prepared, 1)
    if not near:
        return _of(citation, Verdict.UNSUPPORTED, reason, firm=True)
    return _shown(citation, Verdict.UNSUPPORTED, reason, near[0].span, text)


def _shown(citation: Citation, verdict: Verdict, reason: str, place: Span, text: Text) -> CitationCheck:
    excerpt = _excerpt(text.text, place)
    return CitationCheck(citation.finding, citation.sentence, verdict, (reason,), excerpt, firm=True)


def _unheld(citation: Citation) -> CitationCheck:
    """A source whose text only an agent saw cannot be checked; one that nobody read is none."""
    if citation.found is False:
        return _of(citation, Verdict.UNSUPPORTED, "the source was never read", firm=True)
    return _of(citation, Verdict.UNVERIFIABLE, "only the agent saw the text of this source", firm=True)


def _of(citation: Citation, verdict: Verdict, reason: str, firm: bool) -> CitationCheck:
    return CitationCheck(citation.finding, citation.sentence, verdict, (reason,), firm=firm)


def _judged(citation: Citation, judgement: Judgement, text: str) -> CitationCheck:
    return CitationCheck(
        citation.finding,
        citation.sentence,
        judgement.verdict,
        judgement.reasons,
        _excerpt(text, judgement.passage) if judgement.passage else None,
        firm=judgement.firm,
        absent=judgement.absent,
    )


def _lifted(citations: Sequence[Citation], checks: Sequence[CitationCheck]) -> list[CitationCheck]:
    """Each source of a sentence may hold a part of it: what they hold together supports it."""
    lifted = []
    for check, citation in zip(checks, citations, strict=True):
        others = dict.fromkeys(f"[{other.n}]" for other in citations if other.n != citation.n)
        if check.excerpt and check.verdict in (Verdict.PARTIAL, Verdict.UNSUPPORTED):
            reasons = (f"together with {''.join(others)}",)
            check = replace(check, verdict=Verdict.SUPPORTED, reasons=reasons, firm=True)
        lifted.append(check)
    return lifted


def _texts(citations: Sequence[Citation], text_of: TextOf) -> list[Text]:
    """The different sources of some citations, as far as they are held."""
    digests = dict.fromkeys(citation.sha256 for citation in citations if citation.sha256)
    return [text for text in map(text_of, digests) if isinstance(text, Text)]


def _excerpt(text: str, span: Span) -> Excerpt:
    stop = min(span.end, span.start + LONGEST)
    before = text[max(0, span.start - CONTEXT) : span.start]
    after = text[stop : stop + CONTEXT]
    if span.start > CONTEXT:
        before = before.partition(" ")[2] or before
    if stop + CONTEXT < len(text):
        after = after.rpartition(" ")[0] or after
    return Excerpt(before, text[span.start : stop], after)


def doubts(checks: Sequence[CitationCheck]) -> Iterator[int]:
    """The places of the citations that an opinion can settle: words can agree where the statement does not."""
    for at, check in enumerate(checks):
        if not check.firm and check.excerpt and check.verdict in ASKABLE:
            yield at


def settle(checks: Sequence[CitationCheck], opinions: Mapping[int, Opinion]) -> tuple[CitationCheck, ...]:
    """The checks with the opinions about the doubtful ones. A firm verdict of code stands whatever a model says."""
    allowed = set(doubts(checks))
    settled = list(checks)
    for at in allowed & opinions.keys():
        settled[at] = _settled(checks[at], opinions[at])
    return tuple(settled)


def _settled(check: CitationCheck, said: Opinion) -> CitationCheck:
    """An opinion lifts a sentence over words the source does not have to `partial` at most.

    What code calls supported it can only lower; where nobody could be asked about it, that stands. What code calls
    unsupported and an opinion partial stays on the list of what a person should look at.
    """
    if check.verdict is Verdict.SUPPORTED and said.verdict in (Verdict.SUPPORTED, Verdict.UNVERIFIABLE):
        return check
    verdict = Verdict.PARTIAL if said.verdict is Verdict.SUPPORTED and check.absent else said.verdict
    lifted = verdict is Verdict.PARTIAL and check.verdict is Verdict.UNSUPPORTED
    held_against_it = check.reasons if lifted or verdict is not said.verdict else ()
    reasons = tuple(filter(None, (said.reason, *held_against_it)))
    return replace(check, verdict=verdict, reasons=reasons, by=said.by, firm=lifted)
