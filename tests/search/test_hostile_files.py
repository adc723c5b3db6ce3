"""Broken, huge, locked and malicious files: each is reported and skipped, and the rest is found."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from corpus import Corpus, corpus_fixture  # noqa: F401 - a fixture
from documents import WORD, packed, pdf_file, word_file

from deeproot.search import Limits


@pytest.fixture
def good(corpus: Corpus) -> Corpus:
    """A corpus with one file that must always be found."""
    corpus.write("good.txt", "a healthy zebra")
    return corpus


def assert_only_the_good_file_is_found(corpus: Corpus) -> None:
    assert corpus.names("zebra") == ["good.txt"]


def test_a_binary_disguised_as_text_is_skipped(good: Corpus) -> None:
    good.write("bad.txt", b"zebra " + bytes(range(256)) * 10)
    good.write("later.txt", b"zebra " * 5000 + b"\0\1\2" + b" zebra")
    assert good.skipped() == {"bad.txt": "binary content", "later.txt": "binary content"}
    assert_only_the_good_file_is_found(good)


def test_a_skipped_file_is_reported_again_by_a_run_that_does_not_read_it(good: Corpus) -> None:
    good.write("bad.txt", b"\0" * 100)
    first = good.report()
    second = good.report()
    assert second.changed == 0
    assert first.skipped == second.skipped


def test_of_a_very_large_file_only_the_beginning_is_indexed(good: Corpus) -> None:
    good.write("big.log", "".join(f"event {number} happened\n" for number in range(10_000)))
    limits = Limits(file_bytes=50_000)
    assert good.skipped(limits) == {"big.log": "only the first 0.1 MB of 0.2 MB are indexed"}
    search = good.open(limits=limits)
    assert search.rank("event 17", 1)
    text = search.source_text((good.files / "big.log").as_posix())
    assert text is not None
    assert len(text) == 50_000
    assert search.rank("zebra", 1)


MEMORY_PROGRAM = """
import sys, tracemalloc
from pathlib import Path
from deeproot.search import Limits
from deeproot.search.files import FileSearch
tracemalloc.start()
FileSearch.open([Path(sys.argv[1])], Path(sys.argv[2]), limits=Limits(file_bytes=4_000_000)).close()
print(tracemalloc.get_traced_memory()[1] // 2**20)
"""


def test_memory_does_not_grow_with_the_size_of_a_file(good: Corpus) -> None:
    path = good.write("big.log", "2020-01-01 something ordinary happened again\n" * 200_000)
    os.truncate(path, 1_000_000_000)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", MEMORY_PROGRAM, str(good.files), str(good.index)]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert int(done.stdout) < 100, "megabytes, for a file of a thousand"


def test_a_huge_single_line_is_cut_into_passages(good: Corpus) -> None:
    good.write("line.txt", "word " * 50_000 + "quagga " + "word " * 50_000)
    good.write("solid.txt", "x" * 300_000)
    good.write("spaces.md", "# " + " " * 300_000 + "\n" + " " * 300_000 + "okapi")
    found = good.best("quagga")
    assert len(found.text) < 1000
    assert "quagga" in found.text
    assert good.best("okapi").text == "okapi"


@pytest.mark.parametrize("name", ["a.py", "a.js", "a.c", "a.md", "a.rst", "a.json", "a.csv", "a.html", "a.eml"])
def test_no_reader_is_slow_on_a_long_line_of_its_own_marks(good: Corpus, name: str) -> None:
    for number, mark in enumerate(("(", "<", "[", '"', "# ", "= ", "a b ", "a(", "*_`", ",", "{", "--- ")):
        good.write(f"{number}{name}", mark * 60_000)
    assert good.report().files + len(good.skipped()) >= 12
    assert "good.txt" in good.names("zebra")


def test_a_file_that_changes_while_it_is_read_is_consistent_and_read_again_next_time(good: Corpus) -> None:
    path = good.write("moving.txt", "start zebra\n" * 100)
    stop = threading.Event()

    def keep_writing() -> None:
        while not stop.wait(0.0001):
            with path.open("a") as file:
                file.write("another line of zebra\n")

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        for _ in range(5):
            search = good.open()
            for passage in search.rank("zebra", 5):
                assert passage.text in (search.source_text(passage.source.location) or "")
    finally:
        stop.set()
        writer.join()
    path.write_text("settled okapi")
    assert good.names("okapi") == ["moving.txt"]


def test_symbolic_links_neither_loop_nor_lead_outside(good: Corpus, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("zebra outside")
    (good.files / "loop").symlink_to(good.files, target_is_directory=True)
    (good.files / "out").symlink_to(outside, target_is_directory=True)
    (good.files / "file.txt").symlink_to(outside / "secret.txt")
    (good.files / "self").symlink_to(good.files / "self")
    (good.files / "again.txt").symlink_to(good.files / "good.txt")
    assert good.names("zebra") == ["again.txt", "good.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_and_a_file_without_permission_are_reported(good: Corpus) -> None:
    locked = good.write("locked/a.txt", "zebra").parent
    file = good.write("b.txt", "zebra")
    locked.chmod(0)
    file.chmod(0)
    try:
        assert good.skipped() == {"locked": "Permission denied", "b.txt": "Permission denied"}
        assert_only_the_good_file_is_found(good)
    finally:
        locked.chmod(0o755)
        file.chmod(0o644)


def test_a_link_that_cannot_be_followed_is_reported(good: Corpus) -> None:
    (good.files / "gone.txt").symlink_to(good.files / "never-there.txt")
    assert good.skipped() == {"gone.txt": "No such file or directory"}


def test_pipes_are_not_read(good: Corpus) -> None:
    os.mkfifo(good.files / "pipe.txt")
    assert_only_the_good_file_is_found(good)


def test_a_document_that_unpacks_to_too_much_is_skipped(good: Corpus) -> None:
    good.write("bomb.docx", word_file(("Normal", "zebra " * 2_000_000)))
    good.write("bomb.xlsx", packed({"xl/workbook.xml": "0" * 12_000_000}))
    reasons = good.skipped(Limits(unpacked_bytes=1_000_000))
    assert reasons == dict.fromkeys(("bomb.docx", "bomb.xlsx"), "unpacks to more than 1.0 MB")


def test_a_document_larger_than_the_limit_is_not_opened(good: Corpus) -> None:
    good.write("large.pdf", b"%PDF-1.4" + b"x" * 5000)
    assert good.skipped(Limits(document_bytes=1000)) == {"large.pdf": "larger than 0.0 MB, not opened"}


def test_an_entity_bomb_is_refused(good: Corpus) -> None:
    entities = '<!DOCTYPE x [<!ENTITY a "zebra"><!ENTITY b "&a;&a;&a;&a;">]>'
    document = f'{entities}<w:document xmlns:w="{WORD}"><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:document>'
    good.write("bomb.docx", packed({"word/document.xml": document}))
    assert good.skipped() == {"bomb.docx": "holds a document type declaration"}
    assert_only_the_good_file_is_found(good)


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.xls", "a.pdf"])
@pytest.mark.parametrize("content", [b"", b"zebra", b"PK\x03\x04zebra", b"%PDF-1.7\nzebra", b"\xd0\xcf\x11\xe0zebra"])
def test_a_broken_document_is_reported(good: Corpus, name: str, content: bytes) -> None:
    good.write(name, content)
    assert good.skipped().keys() == {name}
    assert_only_the_good_file_is_found(good)


def test_a_cut_off_pdf_does_no_harm(good: Corpus) -> None:
    whole = pdf_file("horses", "horses")
    for length in range(0, len(whole), 150):
        good.write(f"{length}.pdf", whole[:length])
    assert_only_the_good_file_is_found(good)


def test_an_encrypted_pdf_is_reported(good: Corpus) -> None:
    pypdf = pytest.importorskip("pypdf")
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(good.files / "locked.pdf")
    writer.close()
    assert good.skipped() == {"locked.pdf": "encrypted"}


def test_a_pdf_that_takes_too_long_is_given_up(good: Corpus) -> None:
    good.write("slow.pdf", pdf_file("zebra"))
    assert good.skipped(Limits(seconds=0.001)) == {"slow.pdf": "took longer than 0.001 seconds to parse"}


def test_a_file_name_that_is_not_utf8_is_read(good: Corpus) -> None:
    odd = os.fsencode(good.files) + b"/caf\xe9.txt"
    Path(os.fsdecode(odd)).write_text("okapi")
    assert good.best("okapi").source.location.endswith("caf\ufffd.txt")


def test_deeply_nested_markup_is_given_up_in_time_and_the_rest_is_found(good: Corpus) -> None:
    good.write("deep.html", "<div>" * 100_000 + "zebra")
    reasons = good.skipped(Limits(seconds=1.0))
    assert reasons == {"deep.html": "took longer than 1 seconds to parse"}
    assert good.open(limits=Limits(seconds=1.0)).rank("zebra", 5)[0].source.location.endswith("good.txt")


def test_markup_that_makes_a_parser_multiply_is_given_up(good: Corpus) -> None:
    styles = "".join(f"<font size={number}>" for number in range(2_000))
    good.write("styles.html", f"<p>{styles}</p>" + "<p>zebra</p>" * 20_000)
    assert good.skipped(Limits(seconds=20.0)).keys() == {"styles.html"}


@pytest.mark.parametrize(
    "markup", ["<div>" * 300 + "okapi" + "</div>" * 300, "<b><i>" * 10 + "okapi", "okapi " * 90_000]
)
def test_markup_that_only_looks_costly_is_read(good: Corpus, markup: str) -> None:
    good.write("page.html", f"<title>Animals</title><h1>Rare ones</h1><p>{markup}")
    found = good.best("okapi")
    assert found.source.title == "Animals"
    assert found.section == "Rare ones"


@pytest.mark.parametrize("charset", ["punycode", "idna", "utf-7", "unicode_escape"])
def test_a_page_or_mail_in_a_charset_that_no_browser_knows_is_read_at_once(good: Corpus, charset: str) -> None:
    good.write("page.html", f"<meta charset={charset}><p>{'okapi-' * 50_000}".encode() + b"\xff")
    good.write("mail.eml", f"Subject: rare\nContent-Type: text/plain; charset={charset}\n\n{'quagga-' * 50_000}")
    assert good.names("okapi") == ["page.html"]
    assert good.names("quagga") == ["mail.eml"]
