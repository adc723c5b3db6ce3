"""Planted errors, caught by code alone: each verdict is firm, so a model that always says PASS cannot lift it."""

from __future__ import annotations

import pytest

from deeproot.evidence import Verdict, find_quote, judge

BUSINESS = """Harrow Foods published its results on 4 March 2024. Revenue grew 15 % to $4.6 billion in 2023, the
company said. Operating profit fell by 3 percentage points after two bakeries closed. Chief executive
Dana Whitlock, who joined in 2019, told investors that the group would open 40 stores in Poland next
year. Its rival Millbrook lost market share. The dividend was not increased. Harrow employs 12,400
people, mostly in Leeds."""

HEALTH = """The trial followed 1,820 adults with type 2 diabetes for five years. Patients who took metformin lost
2.1 kg on average, and their blood pressure dropped. The drug did not reduce the risk of stroke. Nausea
was reported by 11 % of the treated group and by 4 % of those on placebo. Some patients stopped early.
The authors, led by Ines Carvalho of the University of Porto, caution that the benefit was smaller in
women than in men."""

SCIENCE = """The Kepler-442 system lies about 1,200 light years away. Its planet completes one orbit in 112 days and
is probably rocky. The team measured a surface temperature of 233 kelvin, colder than Earth. Water has
not been detected. The telescope was launched in 2009 and retired in 2018 after it ran out of fuel. Most
of the stars it watched are smaller than the Sun."""

HISTORY = """The Rialto Bridge in Venice was completed in 1591 under the architect Antonio da Ponte. It replaced a
wooden bridge that collapsed in 1524. The stone arch spans 28 metres. Michelangelo had also proposed a
design, which the authorities rejected. The bridge survived the flood of 1966 without damage."""

POLICY = """Norway banned the sale of new petrol cars from 2025. In 2022, 79 % of new cars sold there were electric,
up from 65 % a year earlier. Oslo exempts electric cars from road tolls. Before the subsidies were
introduced, hardly anyone bought them. Critics say that richer households benefit more than poorer ones.
Germany ended its own subsidy in December 2023."""

SPORT = """Rovers beat United 3–1 on Saturday at Dale Park before 21,500 spectators. Kim Osei scored twice in the
first half. United have not won away since October. Coach Pat Lindqvist said the defence was weaker than
last season. Rovers climbed to fourth place, two points behind City."""

SOFTWARE = """Version 3.2 of the database halves the time a restart takes, from 40 seconds to 20 seconds. It no longer
supports Windows 7. Writes are acknowledged after two replicas have stored them. The release fixes a bug
that could lose data when a disk was full. Memory use rose by 8 %. The vendor, Tarn Systems, recommends
an upgrade before June."""

CLIMATE = """Glaciers in the Alps lost 4 % of their volume in 2023, after 6 % in 2022. The summer was the hottest
since 1864. Snow cover in March was below the average. Scientists at ETH Zurich do not expect the
Aletsch glacier to recover. Rivers carried more water in July than in August."""

FARMING = """Olive growers in Jaén harvested 210,000 tonnes in 2022, less than half of the previous year's crop.
Drought was blamed by the cooperative. Prices at the mill doubled to 5.40 euros per kilo. Irrigated
groves fared better than dry ones. The regional government did not declare an emergency, but it lowered
water fees by 20 %. Marisol Vega, who heads the growers' union, called for new reservoirs."""

COUNCIL = """Kestwick council voted 9 to 6 on 12 May 2021 to close the library on Mill Lane. Opening hours at the
central library were extended to 54 hours per week. The mayor, Tom Adeyemi, opposed the closure. A
petition gathered 3,100 signatures. Savings of £240,000 a year are expected. No staff were made
redundant."""

NURSING = """In a survey of 640 nurses, 58 % said they had considered leaving the profession, up from 41 % in 2018.
Night shifts were associated with more errors. Hospitals that introduced fixed rosters saw sick leave
decline by a quarter. The effect was not significant in small clinics. Linda Brookes of King's College
London presented the results in Geneva."""

HARDWARE = """The Aurora chip draws 12 watts and reaches 3.4 GHz. It is made by Fenwick in a 5 nm process. Compared
with its predecessor it is 30 % faster but costs more. Early samples overheated, a fault that has since
been corrected. Shipments begin in September 2025. It cannot be used in phones."""

RAILWAY = """The night train from Hamburg to Malmö was suspended on 3 November 2022. Operator Nordlink cited rising
energy costs and a shortage of sleeping cars. Some 48,000 passengers had used it in the previous season,
12 % fewer than the year before. Tickets sold for later dates will be refunded in full. A coalition of
mayors has offered to cover a third of the losses."""

BIRDS = """Ringing data show that common swifts returned to Bristol on average 6 days earlier in 2019 than in 1995.
Nest boxes were occupied within two years. The colony did not shrink despite roof repairs. Males arrived
before females. Professor Amina Yusuf believes that milder springs explain the change, though food
supply was not measured."""

COURT = """The appeals court upheld the ruling against Bexley Motors by two votes to one. The carmaker must pay €18
million to 412 customers whose brakes failed. Judge Rosa Klein dissented. The company said it would not
appeal again. Its shares fell 7 % in Frankfurt on Tuesday but recovered later in the week."""

DIET = """Fermented foods lowered inflammation markers in a ten-week study of 36 healthy adults at Stanford. A
diet high in fibre did not have this effect. Participants ate up to six servings a day. The findings,
published in Cell in 2021, have yet to be repeated in larger groups. Kimchi and kefir were the most
popular choices."""

PLANTED = [
    # what the page does not say
    ("absent", BUSINESS, "Harrow Foods fired its CEO in 2024 over fraud."),
    ("absent", BUSINESS, "Harrow Foods was fined by regulators in 2023 for mislabelling bread."),
    ("absent", HEALTH, "Vitamin D shortens the common cold by three days."),
    ("absent", SCIENCE, "Penguins breed on the Antarctic coast in winter."),
    ("absent", HISTORY, "Antonio da Ponte was executed for treason in 1591."),
    ("absent", SPORT, "Kim Osei signed a contract with City worth 3 million euros."),
    ("absent", SOFTWARE, "Tarn Systems was bought by Oracle in June."),
    # a number changed
    ("number", BUSINESS, "Harrow's revenue grew 25 % in 2023."),
    ("number", BUSINESS, "Revenue grew 15 % to $4.9 billion in 2023."),
    ("number", BUSINESS, "Harrow employs 14,200 people, mostly in Leeds."),
    ("number", HEALTH, "The trial followed 1,280 adults with type 2 diabetes."),
    ("number", HEALTH, "Patients who took metformin lost 3.1 kg on average."),
    ("number", HEALTH, "Nausea was reported by 17 % of the treated group."),
    ("number", SCIENCE, "The planet completes one orbit in 121 days."),
    ("number", HISTORY, "The stone arch spans 38 metres."),
    ("number", POLICY, "In 2022, 97 % of new cars sold in Norway were electric."),
    ("number", SPORT, "Rovers beat United 3–1 before 25,100 spectators."),
    ("number", SOFTWARE, "Memory use rose by 18 %."),
    ("number", CLIMATE, "Glaciers in the Alps lost 9 % of their volume in 2023."),
    ("number in words", HEALTH, "The trial followed the adults for seven years."),
    # a unit or a magnitude changed
    ("unit", BUSINESS, "Operating profit fell by 3 %."),
    ("unit", BUSINESS, "Revenue grew 15 % to $4.6 million in 2023."),
    ("unit", HEALTH, "Patients who took metformin lost 2.1 g on average."),
    ("unit", HISTORY, "The stone arch spans 28 feet."),
    ("unit", SOFTWARE, "A restart takes 20 minutes."),
    ("unit", SCIENCE, "Its planet completes one orbit in 112 hours."),
    # a year changed
    ("year", BUSINESS, "Dana Whitlock joined in 2009."),
    ("year", HISTORY, "The Rialto Bridge was completed in 1951."),
    ("year", HISTORY, "A wooden bridge collapsed in 1591."),
    ("year", SCIENCE, "The telescope was launched in 2018."),
    ("year", POLICY, "Norway banned the sale of new petrol cars from 2035."),
    ("year", POLICY, "Germany ended its subsidy in December 2022."),
    # a direction flipped
    ("direction", BUSINESS, "Revenue fell 15 % to $4.6 billion in 2023."),
    ("direction", BUSINESS, "Operating profit rose by 3 percentage points."),
    ("direction", HEALTH, "Patients who took metformin gained 2.1 kg on average."),
    ("direction", HEALTH, "The benefit was larger in women than in men."),
    ("direction", SOFTWARE, "Memory use fell by 8 %."),
    ("direction", SPORT, "The defence was stronger than last season, coach Pat Lindqvist said."),
    ("direction", CLIMATE, "Snow cover in March was above the average."),
    ("direction", SCIENCE, "The planet has a surface temperature of 233 kelvin, warmer than Earth."),
    # a negation added or removed
    ("negation", BUSINESS, "The dividend was increased."),
    ("negation", HEALTH, "The drug reduced the risk of stroke."),
    ("negation", SCIENCE, "Water has been detected."),
    ("negation", SPORT, "United have won away since October."),
    ("negation", SOFTWARE, "It still supports Windows 7."),
    ("negation", CLIMATE, "Scientists at ETH Zurich expect the Aletsch glacier to recover."),
    ("negation", HISTORY, "The bridge did not survive the flood of 1966."),
    ("negation", POLICY, "Oslo does not exempt electric cars from road tolls."),
    # names swapped
    ("name", BUSINESS, "Millbrook's revenue grew 15 % to $4.6 billion in 2023."),
    ("name", BUSINESS, "Harrow would open 40 stores in Romania next year."),
    ("name", BUSINESS, "Westgate Foods published its results on 4 March 2024."),
    ("name", HEALTH, "The authors were led by Ines Carvalho of the University of Lisbon."),
    ("name", HISTORY, "The Rialto Bridge in Florence was completed in 1591."),
    ("name", POLICY, "Denmark banned the sale of new petrol cars from 2025."),
    ("name", SPORT, "Lee Brandt scored twice in the first half."),
    ("name", SPORT, "United beat Rovers 3–1 on Saturday."),
    ("name", SOFTWARE, "The vendor, Oracle, recommends an upgrade before June."),
    ("name", CLIMATE, "Rivers carried more water in August than in July."),
    # opposites, superlatives and absolutes
    ("opposite", HISTORY, "The authorities accepted a design that Michelangelo had proposed."),
    ("opposite", POLICY, "Critics say that poorer households benefit more than richer ones."),
    ("opposite", CLIMATE, "The summer was the coldest since 1864."),
    ("absolute", HEALTH, "All patients stopped early."),
    ("absolute", SCIENCE, "All of the stars it watched are smaller than the Sun."),
    ("absolute", BUSINESS, "Harrow employs 12,400 people, only in Leeds."),
    ("absolute", POLICY, "Every household in Norway benefits from electric cars."),
    ("superlative", HISTORY, "The Rialto Bridge is the oldest bridge in Venice."),
    ("superlative", CLIMATE, "Glaciers in the Alps lost the largest volume since 1864 in 2023."),
    ("superlative", SPORT, "Kim Osei is the best player at Dale Park."),
    # of every kind, on further pages
    ("further", FARMING, "Olive growers in Jaén harvested 310,000 tonnes in 2022."),
    ("further", FARMING, "Olive growers in Jaén harvested 210,000 tonnes in 2021."),
    ("further", FARMING, "Prices at the mill halved to 5.40 euros per kilo."),
    ("further", FARMING, "Prices at the mill doubled to 5.40 dollars per kilo."),
    ("further", FARMING, "Dry groves fared better than irrigated ones."),
    ("further", FARMING, "The regional government declared an emergency."),
    ("further", FARMING, "It raised water fees by 20 %."),
    ("further", FARMING, "Marisol Vega heads the millers' guild in Madrid."),
    ("further", FARMING, "Carmen Vega, who heads the growers' union, called for new reservoirs."),
    ("further", FARMING, "Olive growers in Granada harvested 210,000 tonnes in 2022."),
    ("further", FARMING, "Marisol Vega was arrested for tax evasion in 2022."),
    ("further", FARMING, "All irrigated groves fared better than dry ones."),
    ("further", FARMING, "The harvest of 2022 was the smallest in a century."),
    ("further", COUNCIL, "Kestwick council voted 9 to 6 to open the library on Mill Lane."),
    ("further", COUNCIL, "Kestwick council voted 8 to 7 to close the library."),
    ("further", COUNCIL, "The vote was held on 12 May 2012."),
    ("further", COUNCIL, "Opening hours at the central library were reduced to 54 hours per week."),
    ("further", COUNCIL, "Opening hours at the central library were extended to 45 hours per week."),
    ("further", COUNCIL, "The mayor, Tom Adeyemi, supported the closure."),
    ("further", COUNCIL, "The mayor, Paul Reed, opposed the closure."),
    ("further", COUNCIL, "A petition gathered 31,000 signatures."),
    ("further", COUNCIL, "Savings of £240 million a year are expected."),
    ("further", COUNCIL, "Staff were made redundant."),
    ("further", COUNCIL, "Tom Adeyemi resigned in 2021 after a bribery scandal."),
    ("further", COUNCIL, "Every library in Kestwick was closed."),
    ("further", NURSING, "In a survey of 640 nurses, 85 % said they had considered leaving."),
    ("further", NURSING, "The share was down from 41 % in 2018."),
    ("further", NURSING, "Night shifts were associated with fewer errors."),
    ("further", NURSING, "Hospitals that introduced fixed rosters saw sick leave rise by a quarter."),
    ("further", NURSING, "The effect was significant in small clinics."),
    ("further", NURSING, "Linda Brookes of King's College London presented the results in Vienna."),
    ("further", NURSING, "41 % said they had considered leaving the profession, up from 58 % in 2018."),
    ("further", NURSING, "Only hospitals that introduced fixed rosters saw sick leave decline."),
    ("further", HARDWARE, "The Aurora chip draws 21 watts."),
    ("further", HARDWARE, "The Aurora chip reaches 3.4 MHz."),
    ("further", HARDWARE, "It is made by Fenwick in a 7 nm process."),
    ("further", HARDWARE, "It is 30 % slower than its predecessor."),
    ("further", HARDWARE, "It costs less than its predecessor."),
    ("further", HARDWARE, "Shipments begin in September 2026."),
    ("further", HARDWARE, "It can be used in phones."),
    ("further", HARDWARE, "The Aurora chip is made by Intel."),
    ("further", HARDWARE, "Fenwick recalled the chip in 2025 after a lawsuit."),
    ("further", HARDWARE, "It is the fastest chip ever made."),
    ("bound", NURSING, "In a survey of under 640 nurses, over 58 % said they would never leave."),
    ("further", RAILWAY, "The night train from Hamburg to Malmö was resumed on 3 November 2022."),
    ("further", RAILWAY, "The night train from Hamburg to Oslo was suspended in 2022."),
    ("further", RAILWAY, "Operator Nordlink cited falling energy costs."),
    ("further", RAILWAY, "Some 84,000 passengers had used it in the previous season."),
    ("further", RAILWAY, "Passenger numbers were 12 % higher than the year before."),
    ("further", RAILWAY, "Tickets sold for later dates will not be refunded."),
    ("further", RAILWAY, "A coalition of mayors has offered to cover half of the losses."),
    ("further", RAILWAY, "A coalition of mayors has offered to cover all of the losses."),
    ("further", RAILWAY, "The train was suspended on 3 November 2020."),
    ("further", BIRDS, "Swifts returned to Bristol 6 days later in 2019 than in 1995."),
    ("further", BIRDS, "Swifts returned to Bristol 6 weeks earlier in 2019 than in 1995."),
    ("further", BIRDS, "Swifts returned to Bristol 9 days earlier in 2019."),
    ("further", BIRDS, "The colony shrank because of roof repairs."),
    ("further", BIRDS, "Females arrived before males."),
    ("further", BIRDS, "Professor Amina Yusuf believes that harsher springs explain the change."),
    ("further", BIRDS, "Professor Liam Yusuf believes that milder springs explain the change."),
    ("further", BIRDS, "Food supply was measured."),
    ("further", BIRDS, "Nest boxes were never occupied."),
    ("further", BIRDS, "Amina Yusuf was dismissed in 2019 for fabricating results."),
    ("further", COURT, "The appeals court overturned the ruling against Bexley Motors."),
    ("further", COURT, "The carmaker must pay €80 million to 412 customers."),
    ("further", COURT, "The carmaker must pay $18 million to customers."),
    ("further", COURT, "Judge Rosa Klein agreed with the majority."),
    ("further", COURT, "The company said it would appeal again."),
    ("further", COURT, "Its shares rose 7 % in Frankfurt on Tuesday."),
    ("further", COURT, "Its shares fell 7 % in London on Tuesday."),
    ("further", COURT, "Bexley Motors must pay 421 customers."),
    ("further", COURT, "Every customer received compensation."),
    ("further", DIET, "Fermented foods raised inflammation markers in a ten-week study."),
    ("further", DIET, "A diet high in fibre had this effect."),
    ("further", DIET, "The study lasted twelve weeks."),
    ("further", DIET, "The study of 63 healthy adults took place at Stanford."),
    ("further", DIET, "The study took place at Harvard."),
    ("further", DIET, "The findings were published in Nature in 2021."),
    ("further", DIET, "The findings have been repeated in larger groups."),
    ("further", DIET, "Kimchi and kefir were the least popular choices."),
    ("further", DIET, "Only kimchi lowered inflammation markers."),
]


@pytest.mark.parametrize(("planted", "source", "sentence"), PLANTED)
def test_a_planted_error_is_never_supported_and_no_opinion_can_lift_it(
    planted: str, source: str, sentence: str
) -> None:
    found = judge(sentence, source)
    assert found.verdict in (Verdict.PARTIAL, Verdict.UNSUPPORTED, Verdict.REFUTED), (planted, found)
    assert found.firm, (planted, found)
    assert found.reasons, planted


FAITHFUL = [
    (BUSINESS, "Harrow's sales were up 15 % in 2023."),
    (BUSINESS, "In 2023 revenue at Harrow Foods reached $4.6 billion."),
    (BUSINESS, "The bread maker plans to add 40 stores in Poland."),
    (BUSINESS, "Shareholders received the same dividend as before."),
    (BUSINESS, "The CEO announced an expansion to Poland."),
    (BUSINESS, "About 12,000 people work for Harrow."),
    (BUSINESS, "Profits suffered when bakeries were shut."),
    (HEALTH, "People on metformin shed 2.1 kg."),
    (HEALTH, "Roughly one in ten treated patients felt sick."),
    (HEALTH, "Women benefited less than men."),
    (HEALTH, "No effect on strokes was seen."),
    (HEALTH, "Over 5 years, adults with diabetes were observed."),
    (SCIENCE, "A year on the planet takes 112 days."),
    (SCIENCE, "The spacecraft's mission ended in 2018 when its fuel was used up."),
    (SCIENCE, "It is colder there than on our own planet."),
    (HISTORY, "Venice's stone bridge dates from 1591."),
    (HISTORY, "A sketch by Michelangelo was turned down."),
    (HISTORY, "Flooding in 1966 left the bridge unharmed."),
    (POLICY, "Nearly 80 % of the cars Norwegians bought in 2022 were electric."),
    (POLICY, "Drivers of electric cars pay no tolls in Oslo."),
    (POLICY, "German subsidies ran out at the end of 2023."),
    (SPORT, "Osei scored two goals before the break."),
    (SPORT, "United lost 3–1 at Dale Park."),
    (SOFTWARE, "Restarting is now twice as fast."),
    (SOFTWARE, "Support for Windows 7 has been dropped."),
    (SOFTWARE, "Tarn advises customers to upgrade before June."),
    (CLIMATE, "Alpine glaciers shrank by 4 % in 2023."),
    (CLIMATE, "Researchers in Zurich see no recovery for the Aletsch glacier."),
    (FARMING, "The olive crop in Jaén fell by more than half in 2022."),
    (FARMING, "Olive oil became twice as expensive at the mill."),
    (FARMING, "Groves with irrigation did better."),
    (FARMING, "Water was made 20 % cheaper."),
    (FARMING, "The growers' union wants more reservoirs to be built."),
    (FARMING, "A drought ruined the harvest."),
    (COUNCIL, "A majority of councillors decided to shut the Mill Lane library."),
    (COUNCIL, "The mayor was against closing it."),
    (COUNCIL, "More than 3,000 people signed a petition."),
    (COUNCIL, "The central library is now open 54 hours a week."),
    (COUNCIL, "The council hopes to save £240,000 annually."),
    (NURSING, "Most nurses surveyed had thought about quitting."),
    (NURSING, "Nurses on night shifts made more mistakes."),
    (NURSING, "Sick leave dropped 25 % where rosters were fixed."),
    (NURSING, "In small clinics no significant effect was seen."),
    (NURSING, "Brookes reported the findings in Geneva."),
    (HARDWARE, "Aurora needs 12 W of power."),
    (HARDWARE, "The chip is faster than the one before, and dearer."),
    (HARDWARE, "An overheating problem was fixed."),
    (HARDWARE, "Phones cannot use it."),
    (HARDWARE, "Fenwick manufactures the Aurora chip."),
    (HARDWARE, "Deliveries start in September 2025."),
    (RAILWAY, "Nordlink stopped the Hamburg–Malmö sleeper in November 2022."),
    (RAILWAY, "Energy had become dearer and sleeping cars were scarce, Nordlink said."),
    (RAILWAY, "Mayors are willing to pay 33 % of the losses."),
    (RAILWAY, "Ridership dropped by 12 %."),
    (BIRDS, "Swifts now come back to Bristol almost a week earlier."),
    (BIRDS, "The birds moved into the boxes in less than two years."),
    (BIRDS, "Yusuf attributes the shift to warmer springs."),
    (BIRDS, "The number of swifts held steady although roofs were repaired."),
    (COURT, "Bexley lost its appeal."),
    (COURT, "Customers with faulty brakes will receive €18 million."),
    (COURT, "One of three judges disagreed."),
    (COURT, "The stock lost 7 % before bouncing back."),
    (COURT, "Bexley Motors will accept the judgment."),
    (DIET, "Eating fermented food reduced inflammation among 36 volunteers."),
    (DIET, "Fibre made no difference."),
    (DIET, "Most participants chose kimchi or kefir."),
    (DIET, "The results appeared in the journal Cell in 2021."),
]


@pytest.mark.parametrize(("source", "sentence"), FAITHFUL)
def test_what_is_said_in_other_words_is_left_to_a_reader(source: str, sentence: str) -> None:
    found = judge(sentence, source)
    assert found.verdict is Verdict.SUPPORTED or not found.firm, found


@pytest.mark.parametrize(
    ("planted", "source", "quote"),
    [
        ("number", BUSINESS, "Revenue grew 16 % to $4.6 billion"),
        ("decimal point", BUSINESS, "Revenue grew 15 % to $46 billion"),
        ("cut inside a number", BUSINESS, "Harrow employs 12"),
        ("cut before the magnitude", BUSINESS, "Revenue grew 15 % to $4.6"),
        ("cut before the unit", BUSINESS, "Revenue grew 15"),
        ("cut inside a decimal", HEALTH, "Patients who took metformin lost 2"),
        ("cut inside a score", SPORT, "Rovers beat United 3"),
        ("cut inside a word", HISTORY, "The stone arch spans 28 met"),
        ("negation left out", HEALTH, "The drug did reduce the risk of stroke"),
        ("negation hidden in an ellipsis", HEALTH, "The drug did … reduce the risk of stroke"),
        ("negation put in", HISTORY, "The bridge did not survive the flood of 1966"),
        ("direction", SOFTWARE, "Memory use fell by 8 %"),
        ("word left out", CLIMATE, "The summer was the hottest 1864"),
        ("word put in", CLIMATE, "The long summer was the hottest since 1864"),
        ("words moved", SPORT, "United beat Rovers 3–1 on Saturday"),
        ("unit", HISTORY, "The stone arch spans 28 feet"),
        ("year", POLICY, "Norway banned the sale of new petrol cars from 2035"),
        ("two places joined", POLICY, "Oslo exempts electric cars from its own subsidy"),
        ("order turned", POLICY, "Germany ended its own subsidy ... Norway banned the sale of new petrol cars"),
        ("other page", POLICY, "The telescope was launched in 2009"),
        ("name", SCIENCE, "The Kepler-452 system lies about 1,200 light years away"),
        ("range", SPORT, "Rovers beat United 3-2 on Saturday"),
    ],
)
def test_an_altered_quote_is_not_found(planted: str, source: str, quote: str) -> None:
    assert find_quote(quote, source) is None, planted


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        (BUSINESS, "Revenue grew 15 % to $4.6 billion in 2023, the company said."),
        (BUSINESS, "“Harrow employs 12,400 people”"),
        (HEALTH, "The drug did *not* reduce the risk of stroke"),
        (SPORT, "Rovers beat United 3-1 on Saturday"),
        (POLICY, "In 2022, 79 % of new cars … were electric"),
        (SCIENCE, "the telescope was launched in 2009"),
    ],
)
def test_an_honest_quote_is_found(source: str, quote: str) -> None:
    assert find_quote(quote, source)
