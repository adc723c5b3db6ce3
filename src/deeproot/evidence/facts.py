"""Does a sentence of a report state something of the world that could be checked?"""

from __future__ import annotations

import re

from .claims import Claim, without_citations, word_list
from .lexicon import FALLS, GENERAL, RISES, STOP, stem
from .speech import DISCOURSE, INTRODUCING, VERBS


def states_fact(sentence: str) -> bool:
    """Whether it asserts something of the world: not a heading, a label, a question, a lead-in, nor of the report.

    In doubt it does: what states a fact and cites nothing is listed for a person, not called wrong.
    """
    plain = _itself(sentence)
    if not plain or plain[-1] == "?" or _HEADING.match(sentence) or _OF_THE_REPORT.search(plain):
        return False
    if _OF_THE_SEARCH.search(plain):
        return False
    claim = Claim(plain)
    if plain[-1] == ":":
        return _is_sentence(plain) and _tells_of_names(claim)
    if claim.figures:
        return plain[0] == "|" or _is_sentence(plain)
    if _OF_THE_EVIDENCE.search(plain) and not _DENYING.search(plain):
        return False
    return _is_sentence(plain) and (bool(claim.names.all) or any(map(_tells, claim.words)))


def _itself(sentence: str) -> str:
    """The sentence without its marks, without "(see above)" and without "this report shows that"."""
    return _SHOWS_THAT.sub("", _POINTER.sub("", _MARKUP.sub("", without_citations(sentence)))).strip()


def _tells_of_names(claim: Claim) -> bool:
    """Whether a lead-in says something of what it names: "Acme broke laws:", unlike "In Spain three things matter:"."""
    said = (one for word, one in zip(claim.words, claim.stems, strict=True) if _tells(word) and not word.isdigit())
    return bool(claim.names.all) and any(one not in claim.names.all and one not in INTRODUCING for one in said)


def telling_words(text: str) -> list[str]:
    """The words and numbers of a text that say something of the world, and do not only introduce what is quoted."""
    claim = Claim(_MARKUP.sub(" ", without_citations(text)))
    words = [word for word in claim.words if _tells(word) and stem(word) not in INTRODUCING and not word.isdigit()]
    return [*words, *(figure.written for figure in claim.figures)]


def _tells(word: str) -> bool:
    """Whether a word says what a sentence is about, unlike those that hold any text together."""
    return word not in STOP and (one := stem(word)) not in GENERAL and one not in DISCOURSE


def _is_sentence(plain: str) -> bool:
    """A label has no verb and no full stop."""
    words = word_list(plain)
    return len(words) > 1 and (plain.rstrip("\"'”’)*_")[-1:] in (".", "!", "…") or any(map(_is_verb, words[1:])))


def _is_verb(word: str) -> bool:
    return word in VERBS or (len(word) > 4 and word.endswith("ed")) or (one := stem(word)) in RISES or one in FALLS


def _any_of(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


_MARKUP = re.compile(r"[*_`]+|^\s*(?:[-+•>]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"\s*#{1,6}\s")
_OF_THE_SEARCH = re.compile(
    r"^insufficient evidence: (?:the files|nothing(?: in the files)?(?: that)?|\d+ passages of \d+ files)"
    r" (?:was|were) searched\b",
    re.IGNORECASE,
)
_PART = r"(?:report|section|chapter|document|part|paragraph|summary|overview|appendix|review|table|list)s?\b"
_SHOWS_THAT = re.compile(rf"^(?:this|the) {_PART}\s+(?:also\s+)?\w+\s+that\s+", re.IGNORECASE)
_POINTER = re.compile(r"\s*\((?:see|cf\.|as|listed|described|shown)\b[^()]*\)", re.IGNORECASE)
_DENYING = re.compile(r"\b(?:den(?:y|ies|ied)|disput\w+|doubt\w*|contradict\w*|refut\w+) that\b", re.IGNORECASE)
_OF_THE_REPORT = _any_of(
    rf"\bthis {_PART}",
    rf"\bthe (?:present|next|following|previous|preceding|remaining|last) {_PART}",
    rf"\b(?:rest|remainder|structure|purpose|scope|aim|end|start|beginning) of (?:this|the) {_PART}",
    r"\bas follows\b|\blet us\b|\bunder the other (?:topics|headings|sections|parts)\b",
    r"\bsee (?:also )?(?:above|below|section|table|figure|appendix)\b",
    r"\b(?:listed|described|discussed|shown|outlined|summari[sz]ed|explained) (?:above|below|under (?:the )?\w+)\b",
    r"\bwe (?:now )?(?:turn|look|begin|start|conclude|return) (?:to|at|by|with)\b",
)
_SOURCES = r"(?:sources?|documents?|passages?|material|pages?)"
_OF_THE_EVIDENCE = _any_of(
    r"^insufficient evidence(?:\W*$|: (?:nothing|no|the|\d+)\b| (?:for|on|of|about|to|was|exists)\b)",
    r"^nothing (?:else )?(?:that )?was (?:searched|read|found)\b",
    rf"^no (?:\w+ ){{0,3}}?(?:{_SOURCES}|evidence|data|information|figures?)\b",
    rf"\b(?:the|these|our|available|cited) (?:\w+ )?{_SOURCES}(?: \w+)? (?:do|does|did|is|are|was|were) not\b",
    rf"\b(?:the|these|our|available|cited) (?:\w+ )?{_SOURCES}(?: \w+)? (?:cannot|don[’']t|didn[’']t)\b",
    rf"\bnone of (?:the|these) {_SOURCES}\b|\bin (?:any of )?the {_SOURCES} (?:read|consulted|found)\b",
    r"\b(?:could|can) ?not be (?:\w+ )?(?:found|verified|established|confirmed|determined|checked|answered)\b",
    r"\bremains? (?:an open question|unanswered|unverified)\b|\bopen questions?\b",
    r"\b(?:nothing|little) (?:was|could be) found\b",
)
