"""Words by what they do in a sentence: hold a text together, open it, say when and of which part it is true."""

from __future__ import annotations

from .lexicon import stems, words

# Words that hold a text together: a sentence of nothing else leads on and states nothing.
DISCOURSE = stems(
    """accordingly answer aspect background bear brief briefly broad caveat chapter compare comparison complicate
    complicated complex conclude conclusion consequence consequently context contrast conversely debate detail
    dimension diverge fair finally finding firstly furthermore hand here highlight hence implication implicit
    interesting interestingly key let likewise meanwhile mixed moreover nonetheless notable notably nuance nuanced
    otherwise outline overview paragraph perspective picture practice reader regard remark respect secondly section
    similarly sketch straightforward story sum summarise summarize summary surprising surprisingly table theme
    therefore thereby thirdly thus topic trade-off turning unclear worth"""
)
# What leads to a quotation and says nothing of the world.
INTRODUCING = stems(
    """according add also argue article author book code comment contrast describe document explain file line note page
    paper passage post put quote read report say section see site source state table tell text website word write
    wrote"""
)
TITLES = stems(
    "chair chairman director doctor dr justice king lord minister mr mrs ms president prof professor queen sir"
)
# Everyday words that begin a sentence without an article, and so are capitalised like names.
OPENERS = words(
    """access across advice against agreement air alcohol along although amid among anyone around art average
    because beef beer behavior behaviour behind below beside besides beyond blood blue body bread business butter care
    cash cheap cheese child chocolate clean clear climate clothing coal coffee cold consumer content cotton credit
    crime crop crude culture customer damage data death debt deep demand despite detail diet disease doubt down
    drought dust earth east eight eighteen eighty electric eleven email empty energy engineer english enough equal
    even everybody everyone exactly except exercise fast feed female fewer fibre fifteen fifty fire fish five flour
    following food foreign forest forty four fourteen freight fresh fruit fuel fund furniture gas general given
    glass global gold grain grass gravel green ground growth half hardly health heat heavy help hence here high home
    household hundred ice income indeed inflation inside insulin internet iron job juice just knowledge labor labour
    land large law less light like litter local long low luck mail male man many market marriage mass material meat
    media medicine metal middle milk mobile modern money mostly much mud music national natural nature near nearly
    neither net never news nine nineteen ninety nobody noise none north nothing now nuclear nutrient off offshore
    often oil online onshore onto outside over overall oxygen paper parent parliament partly past patient pay peace
    per perhaps petrol physical plain plastic plenty police policy poor post power practice press price private
    probably productivity profit progress property public quite radio rail rain rainfall raw red research retail
    revenue rice rising river road rock roughly rubber rural safe safety salt sand school science sea seven
    seventeen seventy sex silver since single six sixteen sixty skin sleep slow small smoke snow soap social
    software soil solar somebody someone something soon south soy space speech sport staff steel still stress strong
    sugar summer sunlight supply support surgery talk tax tea teacher tech ten text thanks theft thirteen thirty
    though thousand three throughout thus timber tobacco today together tomorrow total toward towards trade traffic
    transport turnover twelve twenty twice two typical under unemployment unit unlike until up upon urban using
    usually vaccine value via violence virtual virus warm water wealth weather weight west wheat whenever whereas
    wherever whether white wind wine winter within without woman wood wool work worker worst yesterday yet young
    youth zero"""
)
# What the first cell of a row may say of the second; any other word alone in a cell may be a name.
LABELS = words(
    """acquirer architect author bidder borrower builder buyer capital captain chair chairman coach company competitor
    contractor country creator currency dealer defendant designer developer director district editor employer engineer
    founder heir host insurer inventor investor landlord language leader lender maker manager manufacturer mayor name
    operator opponent origin owner parent partner plaintiff planner player president producer product provider publisher
    purchaser regulator rival sector seller sponsor stake supplier target tenant trainer vendor winner writer"""
)
VERBS = words(
    """am are be became become becomes began begins bought broke brought built came can chose comes contains cost costs
    could did do does drove fell felt find finds found gave gets gives goes got grew grows had has have held helps holds
    includes is keeps kept knew laid leads led left lies made makes may means meant met might must needs offers owns
    paid pays produces ran reached reads remains requires rose runs said sat saw says sees sells sent serves set sets
    shall should shows sold spent spoke stands stood supports takes taught tells tends thinks took turns uses was went
    were will won works would wrote"""
)

MONTHS = stems("january february march april may june july august september october november december")
# What happens once, so that two dates for it cannot both be right.
ONCE = words(
    """acquired adopted approved assassinated bankrupt born built collapsed completed died discovered elected enacted
    established founded ended inaugurated incorporated introduced invented launched married merged opened passed
    patented published ratified released resigned retired signed sank started"""
)
# A number of the part is not a number of the whole, one of a forecast not one of what came.
SCOPES = stems(
    """adjusted annual annually average children daily domestic female final first fourth global gross half initial
    international last male maximum mean median men minimum month monthly national net nominal operating peak per
    previous quarter quarterly real regional second share third total weekly women worldwide year yearly"""
)
HEDGES = stems(
    """aim could estimate expect forecast goal guidance if likely may might plan possibly predict project should target
    will would"""
)
