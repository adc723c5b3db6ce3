"""Searching files: what is found, how it is told, and how the index follows the files."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from corpus import Corpus, corpus_fixture, inside_fixture  # noqa: F401 - fixtures

from deeproot.asks import Failure, Reason
from deeproot.search import Found
from deeproot.search.files import FileSearch

BEES = (
    "# Honey bees\n\nHoney bees dance to tell their sisters where the flowers are.\n\n"
    "A dance has an angle and a length.\n"
)
WASPS = "# Wasps\n\nWasps build nests from chewed wood.\n\n## Food\n\nThey hunt caterpillars for their larvae.\n"


@pytest.fixture
def insects(corpus: Corpus) -> Corpus:
    corpus.write("bees.md", BEES)
    corpus.write("more/wasps.md", WASPS)
    return corpus


def test_a_query_finds_the_passage_that_answers_it(insects: Corpus) -> None:
    found = insects.best("Where do bees say the flowers are?")
    assert "dance to tell their sisters" in found.text
    assert found.source.title == "Honey bees"
    assert (found.first_line, found.last_line) == (3, 5)
    assert found.section == "Honey bees"


def test_a_passage_names_its_section_by_the_path_of_headings(insects: Corpus) -> None:
    assert insects.best("hunt caterpillars").section == "Wasps > Food"


def test_word_forms_find_each_other(insects: Corpus) -> None:
    assert insects.names("hunting caterpillar larva nested")[0] == "wasps.md"


def test_a_passage_is_a_verbatim_piece_of_the_text_its_source_hash_names(insects: Corpus) -> None:
    search = insects.open()
    for passage in search.rank("bees wasps dance nests larvae", 20):
        text = search.source_text(passage.source.location)
        assert text is not None
        assert passage.text in text
        assert passage.source.sha256 == hashlib.sha256(text.encode()).hexdigest()
        lines = "\n".join(text.split("\n")[passage.first_line - 1 : passage.last_line])
        assert passage.text in lines


def test_there_is_no_text_for_an_unknown_location(insects: Corpus) -> None:
    assert insects.open().source_text("nowhere.md") is None


@pytest.mark.anyio
async def test_search_and_rank_give_the_same_answer(insects: Corpus) -> None:
    search = insects.open()
    assert await search.search("dance", 5) == Found(search.rank("dance", 5))


def test_scores_fall_from_the_best_on(insects: Corpus) -> None:
    scores = [passage.score for passage in insects.find("wasps hunt caterpillars; bees dance")]
    assert len(scores) > 1
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


@pytest.mark.parametrize("query", ["", "   ", "the of and", "xyzzy", "?!", "a" * 100_000])
def test_a_query_without_a_known_word_finds_nothing(insects: Corpus, query: str) -> None:
    assert insects.find(query) == []


@pytest.mark.parametrize("limit", [0, -1])
def test_no_passages_are_given_when_none_are_wanted(insects: Corpus, limit: int) -> None:
    assert insects.find("bees", limit) == []


def test_an_empty_folder_is_searched_without_a_hit(corpus: Corpus) -> None:
    assert corpus.report().files == 0
    assert corpus.find("anything") == []


def test_locations_are_relative_when_the_current_folder_is_searched(inside: Corpus) -> None:
    inside.write("a/b.md", "zebra")
    search = inside.open(Path())
    assert [passage.source.location for passage in search.rank("zebra", 5)] == ["a/b.md"]


def test_locations_begin_with_the_path_as_it_was_given(inside: Corpus) -> None:
    inside.write("docs/a/b.md", "zebra")
    assert inside.open(Path("docs")).rank("zebra", 5)[0].source.location == "docs/a/b.md"
    assert inside.open(inside.files).rank("zebra", 5)[0].source.location == (inside.files / "docs/a/b.md").as_posix()
    assert inside.open(Path("docs/a/b.md")).rank("zebra", 5)[0].source.location == "docs/a/b.md"


def test_overlapping_roots_give_each_file_once(inside: Corpus) -> None:
    inside.write("docs/a.md", "zebra")
    assert inside.open(Path(), Path("docs")).report.files == 1


def test_a_root_that_does_not_exist_is_reported(corpus: Corpus) -> None:
    report = corpus.open(corpus.files / "missing").report
    assert [Path(left.location).name for left in report.skipped] == ["missing"]


def test_progress_ends_at_the_number_of_files(insects: Corpus) -> None:
    told: list[tuple[int, int]] = []
    FileSearch.open([insects.files], insects.index, progress=lambda done, total: told.append((done, total))).close()
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_the_report_counts_what_is_in_the_index(insects: Corpus) -> None:
    report = insects.report()
    assert (report.files, report.changed, report.removed) == (2, 2, 0)
    assert report.bytes == len(BEES) + len(WASPS)
    assert report.passages == 3


def test_a_second_run_reads_only_what_changed(insects: Corpus) -> None:
    insects.report()
    insects.write("bees.md", BEES.replace("flowers", "tulips"))
    report = insects.report()
    assert (report.files, report.changed, report.removed) == (2, 1, 0)
    assert insects.best("tulips").source.title == "Honey bees"
    assert insects.find("flowers") == []


def test_a_touched_file_with_the_same_bytes_is_not_a_change(insects: Corpus) -> None:
    insects.report()
    os.utime(insects.files / "bees.md", ns=(1, 1))
    assert insects.report().changed == 0
    assert insects.best("dance").source.title == "Honey bees"


def test_a_deleted_file_leaves_the_index(insects: Corpus) -> None:
    insects.report()
    (insects.files / "bees.md").unlink()
    report = insects.report()
    assert (report.files, report.removed) == (1, 1)
    assert insects.find("dance") == []
    assert insects.open().source_text((insects.files / "bees.md").as_posix()) is None


def test_answers_do_not_depend_on_what_came_and_went_before(insects: Corpus, tmp_path: Path) -> None:
    for number in range(40):
        insects.write(f"n{number:02}.md", f"# Note {number}\n\nBees and wasps meet at flower {number % 7}.\n")
    for number in range(0, 40, 3):
        insects.report()
        insects.write(f"n{number:02}.md", "something else entirely")
        insects.report()
        insects.write(f"n{number:02}.md", f"# Note {number}\n\nBees and wasps meet at flower {number % 7}.\n")
    fresh = FileSearch.open([insects.files], tmp_path / "fresh")
    for query in ("bees wasps flower", "flower 3", "note", "meet at Note 4"):
        assert insects.find(query, 15) == list(fresh.rank(query, 15))
    fresh.close()


def test_answers_do_not_depend_on_the_hash_seed(insects: Corpus) -> None:
    for number in range(30):
        insects.write(f"same{number:02}.md", f"# Twin {number}\n\nThe same words about bees near Wasps.\n")
    program = (
        "import sys; from pathlib import Path; from deeproot.search.files import FileSearch\n"
        "found = FileSearch.open([Path(sys.argv[1])], Path(sys.argv[2])).rank('same words about bees', 12)\n"
        "print([(p.source.location, p.first_line, p.score) for p in found])"
    )
    answers = set()
    for seed in ("0", "1", "4711"):
        index = insects.index / seed
        command = [sys.executable, "-c", program, str(insects.files), str(index)]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        answers.add(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    assert len(answers) == 1
    assert answers.pop().count(b"same") == 12


def test_equal_passages_come_in_order_of_location_then_line(corpus: Corpus) -> None:
    for name in ("c", "a", "b"):
        corpus.write(f"{name}.txt", "equal words here")
    assert [Path(passage.source.location).name for passage in corpus.find("equal words", 2)] == [
        "a.txt",
        "b.txt",
    ]


def test_a_damaged_index_is_made_anew(insects: Corpus) -> None:
    insects.open().close()
    (database,) = insects.index.glob("*.db")
    database.write_bytes(b"no database at all" * 1000)
    assert insects.best("dance").source.title == "Honey bees"


def test_an_index_damaged_while_it_is_open_is_made_anew(insects: Corpus) -> None:
    for number in range(200):
        insects.write(f"n{number}.txt", f"word{number} " * 50)
    search = insects.open()
    (database,) = insects.index.glob("*.db")
    size = database.stat().st_size
    with database.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * (size - 100))
    other = sqlite3.connect(database)  # the open connection reads pages anew only when it has to
    other.close()
    assert search.rank("dance", 1)[0].source.title == "Honey bees"


def test_an_index_of_another_version_is_made_anew(insects: Corpus) -> None:
    insects.open().close()
    (database,) = insects.index.glob("*.db")
    with sqlite3.connect(database) as db:
        db.execute("PRAGMA user_version=999")
    db.close()
    report = insects.report()
    assert report.changed == 2
    assert insects.best("dance").source.title == "Honey bees"


def test_an_index_does_not_grow_with_the_number_of_changes(corpus: Corpus) -> None:
    for turn in range(20):
        text = "\n\n".join(f"Paragraph {number} of turn{turn} " + "words " * 120 for number in range(300))
        corpus.write("a.txt", text)
        corpus.report()
        if turn == 1:
            (database,) = corpus.index.glob("*.db")
            early = database.stat().st_size
    assert database.stat().st_size < 3 * early
    assert corpus.find("turn18") == []
    assert "turn19" in corpus.best("turn19").text


PROGRAM = """
import sys
from pathlib import Path
from deeproot.search.files import FileSearch
for turn in range(5):
    search = FileSearch.open([Path(sys.argv[1])], Path(sys.argv[2]))
    found = search.rank("shared word", 50)
    assert len(found) == 50, len(found)
    for passage in found:
        assert passage.text in (search.source_text(passage.source.location) or passage.text)
    search.close()
"""


def test_several_processes_may_index_and_search_at_once(corpus: Corpus) -> None:
    for number in range(120):
        corpus.write(f"{number}.txt", f"shared word and number {number}")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PROGRAM, str(corpus.files), str(corpus.index)]
    running = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) for _ in range(3)]
    search = corpus.open()
    for turn in range(20):
        corpus.write(f"new{turn}.txt", f"shared word {turn}")
        corpus.report()
        assert len(search.rank("shared word", 50)) == 50
    for process in running:
        _, errors = process.communicate()
        assert process.returncode == 0, errors.decode()


def test_an_open_search_sees_what_another_process_indexed(insects: Corpus) -> None:
    search = insects.open()
    assert search.rank("aardvark", 1) == ()
    insects.write("new.txt", "an aardvark")
    insects.report()
    assert search.rank("aardvark", 1)[0].text == "an aardvark"


def test_the_second_hop_follows_a_name_found_in_the_first_hit(corpus: Corpus) -> None:
    corpus.write("film.md", "# Silent Harbour\n\nSilent Harbour is a drama directed by Ilse Brandt in 1961.\n")
    corpus.write("person.md", "# Ilse Brandt\n\nShe was born in Lund and studied music before the war.\n")
    for number in range(40):
        corpus.write(f"other{number}.md", f"# Film {number}\n\nA drama directed by somebody, born in town {number}.\n")
    assert corpus.names("Where was the director of Silent Harbour born?")[:2] == ["film.md", "person.md"]


def test_the_second_hop_follows_a_code_symbol_to_its_definition(corpus: Corpus) -> None:
    corpus.write(
        "main.py",
        '"""Start here."""\n\n\ndef start():\n    """Opens the gate at dawn."""\n    lift_barrier()\n',
    )
    corpus.write("barrier.py", "def lift_barrier():\n    return motor.up(3)\n")
    for number in range(30):
        corpus.write(f"m{number}.py", f"def f{number}():\n    return motor.down({number})\n")
    assert corpus.names("What happens when it opens at dawn?")[:2] == ["main.py", "barrier.py"]


def test_chinese_and_japanese_are_found_by_parts_of_a_sentence(corpus: Corpus) -> None:
    corpus.write("zh.txt", "北京是中华人民共和国的首都。")
    corpus.write("ja.txt", "東京都は日本の首都です。")
    assert corpus.names("人民共和国")[0] == "zh.txt"
    assert corpus.names("日本の首都")[0] == "ja.txt"


def test_korean_is_found_by_parts_of_a_word_whatever_else_stands_beside_it(corpus: Corpus) -> None:
    corpus.write("ko.txt", "대한민국의 수도는 서울특별시이다.")
    corpus.write("mixed.txt", "東京과 서울특별시는 가깝다.")
    corpus.write("other.txt", "고양이가 잔다.")
    assert set(corpus.names("서울")) == {"ko.txt", "mixed.txt"}


def test_a_file_is_found_by_the_names_of_its_folders(corpus: Corpus) -> None:
    corpus.write("beekeeping/spring/notes.md", "The boxes are cleaned before the first warm day.")
    corpus.write("carpentry/notes.md", "The boxes are oiled before they leave the workshop.")
    assert Path(corpus.best("spring beekeeping boxes").source.location).parent.name == "spring"
    assert len(corpus.find("beekeeping")) == 1


def test_accents_may_be_left_out(corpus: Corpus) -> None:
    corpus.write("a.txt", "Das Café in Görlitz öffnet früh.")
    assert corpus.names("gorlitz CAFE") == ["a.txt"]


def test_importing_search_imports_no_other_library() -> None:
    heavy = ("anyio", "sqlite3", "pathspec", "filelock")
    program = f"import sys, deeproot.search; print([name for name in {heavy} if name in sys.modules])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


@pytest.mark.anyio
async def test_one_file_is_read_for_a_query_and_a_strange_one_is_refused(insects: Corpus) -> None:
    search = insects.open()
    location = search.rank("dance", 1)[0].source.location
    read = await search.read(location, "dance", 5)
    assert isinstance(read, Found)
    assert read.passages
    assert {passage.source.location for passage in read.passages} == {location}
    refused = await search.read("/etc/passwd", "dance", 5)
    assert isinstance(refused, Failure)
    assert refused.reason is Reason.REFUSED


def test_as_many_passages_are_found_as_are_asked_for(corpus: Corpus) -> None:
    for number in range(200):
        corpus.write(f"{number}.txt", f"walnut number {number}")
    assert len(corpus.find("walnut", 150)) == 150
