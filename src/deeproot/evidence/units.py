"""Words beside a number: what it counts, how large it is, how exact."""

from __future__ import annotations

SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
MONEY_SCALES = SCALES | {"k": 1e3, "m": 1e6, "b": 1e9}  # "5 m" is a length unless it is "$5 m"
UNITS = {
    form: unit
    for unit, forms in {
        "%": "% percent pct cent", "percentage points": "pp point points", "$": "$ dollar dollars usd",
        "€": "€ euro euros eur", "£": "£ gbp", "franc": "franc francs chf", "yen": "yen jpy",
        "second": "sec second seconds", "minute": "min minute minutes",
        "hour": "hour hours", "day": "day days", "week": "week weeks", "month": "month months",
        "year": "year years yr yrs", "mg": "mg milligram milligrams", "g": "g gram grams",
        "kg": "kg kilogram kilograms", "tonne": "tonne tonnes ton tons",
        "mm": "mm millimetre millimetres millimeter millimeters",
        "cm": "cm centimetre centimetres centimeter centimeters", "metre": "metre metres meter meters",
        "km": "km kilometre kilometres kilometer kilometers", "mile": "mile miles", "foot": "foot feet ft",
        "ml": "ml millilitre millilitres", "litre": "litre litres liter liters",
        "w": "w watt watts", "kw": "kw kilowatt kilowatts",
        "mw": "mw megawatt megawatts", "gw": "gw gigawatt gigawatts",
        "nm": "nm nanometre nanometres nanometer nanometers", "hz": "hz hertz", "khz": "khz",
        "mhz": "mhz", "ghz": "ghz",
        "kwh": "kwh", "mwh": "mwh", "gwh": "gwh", "mb": "mb", "gb": "gb", "tb": "tb", "fold": "fold times",
    }.items()
    for form in forms.split()
}  # fmt: skip
# What makes a number a bound; `STRICT` ones leave out the number itself.
AT_LEAST = frozenset(["over", "more than", "at least", "above", "exceed", "exceeds", "exceeded", "exceeding"])
AT_MOST = frozenset(["nearly", "almost", "under", "less than", "fewer than", "up to", "at most", "below"])
STRICT = frozenset(["more than", "exceed", "exceeds", "exceeded", "exceeding", "less than", "fewer than"])
