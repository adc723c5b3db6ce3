"""The few words the checks must know: which carry no matter, which point up or down, which deny, which exclude.

Everything else is learnt from the claim and its source. Lists are closed and small on purpose; a word that is missing
here only makes a check more careful or less sharp, never wrong about what stands in the text.
"""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A light English stem, always a beginning of the word, so that it can be looked for in running text."""
    if word == "used":
        return "use"
    if len(word) < 4 or not word.isascii() or not word.isalpha() or word.endswith("eed"):
        return word
    if word[-1] == "s":
        word = _PLURAL.sub("", word)
    if "at" in word:
        word = _VERBAL.sub("", word)
    for ending, cut in _ENDINGS.get(word[-1], ()) if not _NO_ADVERB.search(word) else ():
        if word.endswith(ending) and len(word) - cut >= 3 and _VOWEL.search(word, 0, len(word) - len(ending) or 1):
            word = word[:-cut]
            break
    return _tidy(word)


def _tidy(word: str) -> str:
    """`hopp` → `hop`, `make` → `mak`, `study` → `stud`: one form whether or not an ending was cut off."""
    if len(word) > 3 and (word[-1] in "eyi" or (word[-1] == word[-2] and word[-1] not in "aouls")):
        return word[:-1]
    return word


def _by_last_letter(*endings: tuple[str, int]) -> dict[str, list[tuple[str, int]]]:
    return {last: [one for one in endings if one[0][-1] == last] for last in {ending[-1] for ending, _ in endings}}


def _in_order(text: str) -> list[str]:
    return text.split()


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


_VOWEL = re.compile(r"[aeiouy]")
_PLURAL = re.compile(r"(?<=ss|ch|sh)es$|(?<=[xz])es$|(?<=.{2}i)es$|(?<=[^sui])s$")
_VERBAL = re.compile(r"(?<=.{4})at(?:e|ed|ing|ion|or|ory)$")  # activate, activation: as active, activity
_NO_ADVERB = re.compile(r"(?:app|supp|rep|imp|comp|multip|^re|assemb|anoma)ly$")
# (ending, how many of its characters are cut), by their last letter
_ENDINGS = _by_last_letter(
    ("ational", 5), ("fulness", 4), ("iveness", 5), ("ation", 3), ("ating", 3), ("ated", 2), ("ator", 2),
    ("ition", 3), ("sion", 3), ("tion", 3), ("ment", 4), ("ness", 4), ("ically", 4),
    ("ally", 2), ("ical", 2), ("ing", 3), ("edly", 4), ("ied", 3), ("ed", 2), ("ly", 2), ("ity", 3),
)  # fmt: skip

STOP = words(
    """a about after all almost also an and any approximately are as at be because been before being between both but by
    can could did do does during each for from had has have he her him his how i if in into is it its may me might
    more most my nd nearly no nor not of on only or other our own rd roughly s same she should so some st such t th
    than that the their them then there these they this those through to too us very was we were what when where
    which while who whom whose why will with would you your"""
)

# General words: they say little about what a sentence is about, so they weigh half.
GENERAL = stems(
    """able according across act action add addition affect age agree aim allow along already although always among
    amount announce another appear approach area around aspect associate association attempt available average away
    base basis become begin believe best big bring build call carry case cause central certain change choose clear
    close come common complete concern condition consider consist contain continue contribute control correlate course
    create current date day deal decide degree demonstrate depend dependent describe design determine develop
    development difference different direct discuss due early effect effective either enable end ensure entire
    especially essential establish event eventually every evidence example exhibit exist expect experience explain
    extend extent fact factor far feature few field final find first focus follow following form former found free full
    function further future general generate get give given go good great group half happen help hold hour however
    idea identify impact important include indicate individual influence information initial instead introduce involve
    issue join keep kind know known last late later lead learn least leave level life like likely limit line link list
    little live local long look lot made main maintain major make manage manner many matter mean measure member mention
    method model month move multiple name near necessary need new next normal note number observe obtain occur offer
    old once one open order original others outcome overall page part participate particular pass people perform period
    person place plan play point position possible potential present previous primary prior problem process produce
    program project property propose provide public purpose put question range rate rather reach read real reason
    receive recent record refer region regular relate relation relationship release remain remove replace report
    represent require research response responsible result return reveal right role run say said second see seem select
    separate series serve set several show side significant similar simple since single site situation size social
    source specific stage stand standard start state status stay step still stop structure study subject subsequent
    success suggest support system take tell term test thing think third time title together top total toward trigger
    try turn two type under understand until upon use used using usual value various version via view want way week
    well whole wide within work world write year young"""
)

RISES = stems(
    """accelerate activate adept amplify beat better boost climb defeat double elevate elevated enhance exceed expand
    expansion extend facilitate fast faster gain grew grow grown growth high higher highest improve increase induce
    jump large larger more outnumber outperform overtake positive positively promote raise rise risen rose
    severe soar stimulate strengthen strong stronger success surge surpass triple up upregulate widen worse"""
)
FALLS = stems(
    """abolish absence absent ameliorate attenuate block counteract cut decline decrease defect deficiency deficient
    deplete destabilize diminish down downregulate drop fail fall fallen fell fewer halve impair incapable inhibit
    insufficiency inverse inversely lack less lose loss lost low lower lowest mild milder minor negative negatively
    plunge poor prevent protect reduce reduction resist resistance shorten shrank shrink shrunk slow slower slump
    small smaller suppress unable weak weaken weaker"""
)
FALLS -= RISES

FRACTIONS = {10.0: "tenth", 20.0: "fifth", 25.0: "quarter", 33.0: "third", 50.0: "half", 75.0: "three quarters"}

# What stands on one side of these says something else when it stands on the other.
PIVOT_VERBS = stems("exceed outnumber outperform overtake surpass beat defeat")
PIVOTS = ("than", stem("before"), stem("after"), *sorted(PIVOT_VERBS))
NEGATIONS = words("not no never without neither nor none nobody cannot little")
STILL = words("again already now still yet")  # what a "no longer" answers
# Words that claim more than most sources say; the source must say them too.
ABSOLUTES = stems("all alone always completely dramatic dramatically entirely every exclusively never only solely very")

SUPERLATIVES = words(
    """best biggest busiest cheapest coldest deepest driest earliest fastest greatest hardest heaviest highest hottest
    largest latest longest lowest newest oldest poorest richest safest shortest slowest smallest strongest tallest
    unprecedented warmest weakest wettest widest worst youngest"""
)

# Different stems for one and the same thing: irregular plurals, the adjective of an organ, of a country.
SAME = {
    one: tuple(other for other in group if other != one)
    for group in (
        tuple(dict.fromkeys(map(stem, words.split())))
        for words in (
            "cancer carcinoma tumor tumour neoplasm malignancy tumorigenesis", "mouse mice murine",
            "drug medicine medication pharmaceutical", "neuron neuronal neural nerve", "death mortality die dead fatal",
            "child children pediatric paediatric childhood", "baby infant newborn neonatal neonate",
            "old elderly aged aging ageing", "woman women female", "man men male", "heart cardiac myocardial coronary",
            "artery arterial", "kidney renal", "liver hepatic", "lung pulmonary", "brain cerebral",
            "bone skeletal osseous", "skin dermal cutaneous", "gut intestine intestinal", "stomach gastric",
            "eye ocular",
            "blood serum", "cell cellular", "gene genetic genome genomic", "immune immunity immunologic immunological",
            "muscle muscular", "tooth teeth dental", "foot feet", "mouth oral", "pregnancy pregnant gestation",
            "birth born", "smoke smoking smoker tobacco", "obesity obese overweight",
            "illness disease disorder sickness",
            "virus viral", "bacterium bacteria bacterial", "ceo executive", "doctor physician", "nurse nursing",
            "treat treatment therapy therapeutic", "surgery surgical operation", "heal cure",
            "vaccine vaccination immunization immunisation", "transplant graft engraft",
            "diet dietary nutrition nutritional", "weight mass", "hypertension hypertensive", "diabetes diabetic",
            "depression depressive", "schizophrenia schizophrenic", "inflammation inflammatory",
            "metabolism metabolic metabolize", "embryo embryonic", "sperm spermatozoa", "ancestor ancestral",
            "europe european", "america american usa", "britain british uk", "england english", "france french",
            "germany german", "spain spanish", "italy italian", "china chinese", "japan japanese", "russia russian",
            "india indian", "canada canadian", "mexico mexican", "brazil brazilian", "australia australian",
            "africa african", "asia asian", "ireland irish", "scotland scottish", "wales welsh", "poland polish",
            "netherlands dutch", "sweden swedish", "norway norwegian", "denmark danish", "finland finnish",
            "greece greek", "turkey turkish", "israel israeli", "iran iranian", "korea korean", "portugal portuguese",
            "switzerland swiss", "january jan", "february feb", "march mar", "april apr", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        )
    )
    for one in group
}  # fmt: skip

_TO_TWENTY = _in_order(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty"""
)
_TENS = _in_order("thirty forty fifty sixty seventy eighty ninety")
NUMBER_WORDS = {word: float(value) for value, word in enumerate(_TO_TWENTY)} | {
    word: 10.0 * value for value, word in enumerate(_TENS, start=3)
}
