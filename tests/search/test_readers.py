"""Every kind of file is read: its text, its title, its sections."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import Corpus, corpus_fixture  # noqa: F401 - a fixture
from documents import DRAWING, packed, pdf_file, sheet_file, word_file

from deeproot.model import Passage
from deeproot.search.readers import is_exhibit


def only(corpus: Corpus, name: str, content: str | bytes, query: str) -> Passage:
    corpus.write(name, content)
    return corpus.best(query)


def test_plain_text_has_its_file_name_for_a_title(corpus: Corpus) -> None:
    found = only(corpus, "notes.txt", "one\n\ntwo zebras\n", "zebra")
    assert (found.source.title, found.section, found.first_line, found.last_line) == ("notes.txt", "", 1, 3)


def test_markdown_front_matter_names_the_title_and_is_no_passage(corpus: Corpus) -> None:
    found = only(corpus, "a.md", "---\ntitle: Real Title\ntags: zebra\n---\n# Heading\n\nzebra text\n", "zebra")
    assert (found.source.title, found.text, found.first_line) == ("Real Title", "zebra text", 7)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", "# Top\n\nBefore it.\n\n```mermaid\ngraph zebra\n```\n\nAfter it.\n"),
        ("b.md", "# Top\n\n- an item\n\n  ~~~\n  zebra --run\n  ~~~\n\nAfter it.\n"),
        ("c.md", "# Top\n\nNever closed:\n\n```\nzebra --run\n"),
        ("d.rst", "Top\n===\n\nAs follows::\n\n    zebra --run\n    zebra --stop\n\nAfter it.\n"),
        ("e.rst", "Top\n===\n\n.. code-block:: sh\n\n    zebra --run\n\nAfter it.\n"),
        ("f.html", "<h1>Top</h1><p>Before it.</p><pre>zebra --run\n  --fast</pre><p>After it.</p>"),
    ],
)
def test_a_block_of_code_in_a_document_is_a_passage_of_its_own(corpus: Corpus, name: str, content: str) -> None:
    corpus.write(name, content)
    found = corpus.find("zebra top before after")
    blocks = [passage for passage in found if "zebra" in passage.text]
    assert [passage.section for passage in blocks] == ["Top > (code)"]
    assert is_exhibit(blocks[0].section)
    assert not any(words in blocks[0].text for words in ("Before it", "After it", "Never closed", "an item"))
    assert all(passage.section == "Top" for passage in found if passage not in blocks)


def test_code_on_a_web_page_keeps_its_lines(corpus: Corpus) -> None:
    corpus.write("a.html", "<h1>Top</h1><pre>zebra (\n    one\n)</pre>")
    assert corpus.best("zebra").text == "zebra (\n    one\n)"


def test_a_hash_in_fenced_code_is_no_heading(corpus: Corpus) -> None:
    found = only(corpus, "a.md", "# Top\n\n```sh\n# zebra comment\n```\n\nUnder\n-----\n\nlast\n", "zebra")
    assert found.section == "Top > (code)"
    assert corpus.best("last").section == "Top > Under"


def test_markup_is_left_out_of_sections(corpus: Corpus) -> None:
    assert only(corpus, "a.md", "## The `zip` [module](x.md) ##\n\nzebra\n", "zebra").section == "The zip module"


def test_a_document_of_headings_alone_is_found(corpus: Corpus) -> None:
    assert only(corpus, "a.md", "# Zebra\n\n## Quagga\n", "quagga").text == "## Quagga"


def test_restructured_text_titles_are_sections(corpus: Corpus) -> None:
    text = "=====\nGuide\n=====\n\nhello\n\nInstall\n-------\n\nfrom source with zebra\n"
    found = only(corpus, "a.rst", text, "zebra")
    assert (found.source.title, found.section, found.first_line) == ("Guide", "Guide > Install", 10)


def test_html_gives_its_readable_text(corpus: Corpus) -> None:
    page = (
        "<html><head><title>The  Page</title><style>zebra{}</style></head><body><script>zebra()</script>"
        "<h1>Animals</h1><p>A <b>zebra</b> is striped.</p><h2>Food</h2><ul><li>grass<li>leaves</ul></body></html>"
    )
    found = only(corpus, "a.html", page, "zebra")
    assert (found.source.title, found.section, found.text) == ("The Page", "Animals", "A zebra is striped.")
    assert corpus.best("grass").section == "Animals > Food"


def test_html_is_decoded_as_it_declares(corpus: Corpus) -> None:
    page = '<meta charset="windows-1251"><p>полосатая зебра</p>'.encode("cp1251")
    assert only(corpus, "a.htm", page, "зебра").text == "полосатая зебра"


def test_a_pdf_passage_names_its_page(corpus: Corpus) -> None:
    found = only(corpus, "a.pdf", pdf_file("First page about horses", "Second page about zebras"), "zebras")
    assert (found.section, found.text) == ("page 2", "Second page about zebras")
    assert found.source.title == "First page about horses"
    text = corpus.open().source_text(found.source.location)
    assert text is not None
    assert text.split("\n")[found.first_line - 1] == found.text


def test_a_word_file_keeps_its_headings(corpus: Corpus) -> None:
    data = word_file(("Title", "Big Report"), ("Heading2", "Methods"), ("Normal", "We counted every zebra."))
    found = only(corpus, "a.docx", data, "zebra")
    assert (found.source.title, found.section, found.text) == (
        "Big Report",
        "Big Report > Methods",
        "We counted every zebra.",
    )


def test_a_presentation_names_its_slides(corpus: Corpus) -> None:
    slide = f'<p:sld xmlns:p="urn:p" xmlns:a="{DRAWING}"><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:sld>'
    data = packed(
        {
            "ppt/presentation.xml": "<x/>",
            "ppt/slides/slide2.xml": slide % "a zebra",
            "ppt/slides/slide10.xml": slide % "a horse",
        }
    )
    assert only(corpus, "a.pptx", data, "zebra").section == "slide 2"


def test_a_spreadsheet_gives_its_rows_under_the_sheet(corpus: Corpus) -> None:
    found = only(corpus, "a.xlsx", sheet_file(), "turnover Norway")
    assert (found.section, found.text) == ("Sales 2020", "turnover | Norway | 42")


def test_a_mail_has_its_subject_for_a_title(corpus: Corpus) -> None:
    mail = (
        "From: a@example.org\nTo: b@example.org\nSubject: =?utf-8?q?Zebra_gr=C3=BC=C3=9Ft?=\n\n"
        "The striped one is here.\n"
    )
    found = only(corpus, "a.eml", mail, "striped")
    assert (found.source.title, found.section) == ("Zebra grüßt", "Zebra grüßt")
    assert "The striped one is here." in found.text


def test_a_mailbox_gives_each_message_its_section(corpus: Corpus) -> None:
    one = "From x\nFrom: a@example.org\nSubject: one\n\nabout horses\n\n"
    two = "From y\nFrom: b@example.org\nSubject: two\nContent-Type: text/html\n\n<p>about <i>zebras</i></p>\n"
    found = only(corpus, "a.mbox", one + two, "zebras")
    assert (found.source.title, found.section) == ("a.mbox", "two")


def test_table_rows_belong_to_their_columns(corpus: Corpus) -> None:
    found = only(corpus, "a.csv", "animal,legs,stripes\nhorse,4,no\nzebra,4,yes\n", "zebra stripes")
    assert found.section == "animal, legs, stripes"
    assert (found.first_line, found.last_line) == (2, 3)


def test_json_lines_keep_their_line_numbers(corpus: Corpus) -> None:
    rows = "".join(f'{{"n": {number}, "text": "{"filler " * 60}"}}\n' for number in range(20))
    found = only(corpus, "a.jsonl", rows + '{"text": "zebra"}\n', "zebra")
    assert found.first_line <= 21 == found.last_line


def test_indented_json_names_its_outer_keys(corpus: Corpus) -> None:
    found = only(corpus, "a.json", '{\n  "horse": {\n    "legs": 4\n  },\n  "other": ["zebra"]\n}\n', "zebra")
    assert found.section == "other"


def test_python_sections_are_symbol_paths(corpus: Corpus) -> None:
    source = (
        '"""Stable work.\n\nMore."""\n\nclass Stable:\n    def feed(self):\n'
        '        """Give hay."""\n        # zebras first\n\nLAST = 1\n'
    )
    found = only(corpus, "a.py", source, "zebras first")
    assert (found.source.title, found.section) == ("Stable work.", "Stable.feed")
    assert (found.first_line, found.last_line) == (6, 8)
    assert corpus.best("last").section == ""


def test_python_that_does_not_parse_is_read_as_code(corpus: Corpus) -> None:
    assert only(corpus, "a.py", "def broken(:\n    zebra = 1\n", "zebra").section == "broken"


@pytest.mark.parametrize(
    ("name", "source", "section"),
    [
        ("a.js", "export async function ride(x) {\n  return zebra;\n}\n", "ride"),
        ("a.ts", "export const ride = async (x) => {\n  zebra()\n}\n", "ride"),
        ("a.go", "package main\n\nfunc (s *Stable) Ride(n int) error {\n\treturn zebra\n}\n", "Ride"),
        ("a.rs", "pub(crate) fn ride() -> u8 {\n    zebra\n}\n", "ride"),
        ("a.c", "#include <x.h>\n\nstatic int ride(int n)\n{\n    return zebra;\n}\n", "ride"),
        ("a.java", "class A {\n}\n\npublic final class Stable {\n  // zebra\n}\n", "Stable"),
    ],
)
def test_code_sections_are_the_nearest_symbol(corpus: Corpus, name: str, source: str, section: str) -> None:
    assert only(corpus, name, source, "zebra").section == section


def test_parts_of_a_camel_case_name_find_it(corpus: Corpus) -> None:
    corpus.write("a.js", "function openStableDoor() {}\n")
    corpus.write("b.js", "function closeIt() {}\n")
    assert corpus.names("stable door") == ["a.js"]


def test_a_file_of_unknown_kind_is_read_as_text(corpus: Corpus) -> None:
    corpus.write("Makefile", "zebra:\n\techo striped\n")
    corpus.write("a.toml", 'name = "quagga"\n')
    assert corpus.names("zebra") == ["Makefile"]
    assert corpus.names("quagga") == ["a.toml"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "latin-1"])
def test_text_is_decoded_whatever_its_encoding(corpus: Corpus, encoding: str) -> None:
    assert only(corpus, "a.txt", "Die Größe zählt.\n".encode(encoding), "größe").text == "Die Größe zählt."


def test_every_built_in_reader_is_declared_in_the_project_file() -> None:
    from deeproot.search.readers import BUILT_IN

    declared = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    missing = [name for name in BUILT_IN if f'{name} = "deeproot.search.readers.{name}:FORMAT"' not in declared]
    assert not missing
