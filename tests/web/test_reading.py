"""What is read of a page: its content, in the right letters, whatever its sender says."""

from __future__ import annotations

import io
import json
import zipfile

import anyio
import pytest
from documents import pdf_file

from deeproot.search.readers import Unreadable
from deeproot.search.web import reading as web_reading
from deeproot.search.web.apart import read_apart
from deeproot.search.web.reading import WebReading, is_readable, read_response
from deeproot.search.web.response import Head, Response

BODY = "<p>Apples keep longest in a cool cellar, and the peel tells when they are ripe. " * 5
HTML = "text/html"


def read(body: str | bytes, content_type: str = HTML, url: str = "http://a.example/page") -> WebReading:
    data = body.encode() if isinstance(body, str) else body
    found = read_response(Response(url, content_type, data))
    assert isinstance(found, WebReading), found
    return found


def text_of(body: str | bytes, content_type: str = HTML, url: str = "http://a.example/page") -> str:
    return read(body, content_type, url).reading.text


AROUND = [
    "<nav>BOILERPLATE</nav>",
    "<footer>BOILERPLATE</footer>",
    "<aside>BOILERPLATE</aside>",
    "<header>BOILERPLATE</header>",
    "<div role=navigation>BOILERPLATE</div>",
    "<div role=banner>BOILERPLATE</div>",
    "<script>BOILERPLATE</script>",
    "<style>BOILERPLATE</style>",
    "<!-- BOILERPLATE -->",
    "<ul>" + "<li><a href=x>BOILERPLATE</a>" * 6 + "</ul>",
    "<div><div>" + "<a href=x>BOILERPLATE</a> " * 6 + "</div></div>",
    "<p hidden>BOILERPLATE",
    "<p style='display:none'>BOILERPLATE",
    "<p style='color:red;visibility: hidden'>BOILERPLATE",
    "<p aria-hidden=true>BOILERPLATE",
    "<span style='font-size:0'>BOILERPLATE</span>",
]


@pytest.mark.parametrize("around", AROUND)
def test_what_stands_around_the_content_is_left_out(around: str) -> None:
    text = text_of(f"<title>Apples</title><body>{around}<h1>Apples</h1>{BODY}<p>After all.</p>{around}</body>")
    assert "BOILERPLATE" not in text
    assert text.startswith("Apples\n\nApples keep longest")
    assert "After all." in text


def test_the_main_part_is_taken_where_a_page_has_one() -> None:
    found = read(f"<title>T</title><body><div>Advert</div><main><h1>Apples</h1>{BODY}</main><div>Advert</div>")
    assert "Advert" not in found.reading.text
    assert found.reading.title == "T"
    assert found.reading.marks[0].section == "Apples"


def test_a_page_that_is_all_menu_stays_readable() -> None:
    text = text_of("<body><nav>" + "".join(f"<a href=/{n}>Apple sort {n}</a> " for n in range(30)) + "</nav>")
    assert "Apple sort 29" in text


def test_a_tiny_main_part_does_not_hide_the_page() -> None:
    assert "cool cellar" in text_of(f"<body><main>Loading</main><div>{BODY}</div>")


def test_links_are_made_whole_and_told_once() -> None:
    links = read(
        f"<body><nav><a href=/b#c>x</a><a href=/b>x</a><a href='?q=1'>x</a></nav>{BODY}"
        "<a href='mailto:a@b'>x</a><a href='javascript:x()'>x</a><a href='//c.example'>x</a><a href='file:///etc'>x</a>"
        "<a href='http://evil.example\\@x'>x</a><a>x</a>"
    ).links
    assert links == ("http://a.example/b", "http://a.example/page?q=1", "http://c.example/")


def test_ten_thousand_links_are_cut_off() -> None:
    found = read("<body>" + BODY + "".join(f"<a href=/{n}>{n}</a>" for n in range(10_000)))
    assert len(found.links) == 1_000


CHARSETS = [
    ("Grüße " * 50, "utf-8", "text/html; charset=utf-8", ""),
    ("Grüße " * 50, "utf-8", "text/html; charset=iso-8859-1", ""),
    ("Grüße " * 50, "utf-8", "text/html; charset=shift_jis", "<meta charset=koi8-r>"),
    ("Grüße " * 50, "latin-1", "text/html; charset=utf-8", ""),
    ("Grüße " * 50, "latin-1", "text/html", ""),
    ("Grüße " * 50, "latin-1", "text/html; charset=nonsense", "<meta charset=punycode>"),
    ("Grüße " * 50, "latin-1", "text/html; charset=idna", "<meta charset=zlib_codec>"),
    ("привет мир " * 50, "cp1251", "text/html; charset=windows-1251", ""),
    ("привет мир " * 50, "koi8-r", "text/html", '<meta http-equiv=content-type content="text/html; charset=koi8-r">'),
    ("日本語の文章です" * 50, "shift_jis", "text/html; charset=Shift_JIS", ""),
    ("日本語の文章です" * 50, "iso2022_jp", "text/html; charset=iso-2022-jp", ""),
    ("日本語の文章です" * 50, "utf-16", "text/html", ""),
    ("日本語の文章です" * 50, "utf-16-le", "text/html; charset=utf-16le", ""),
    ("中文的文章" * 50, "gb18030", "text/html; charset=gb2312", ""),
    ("“quoted” – dash " * 30, "cp1252", "text/html; charset=iso-8859-1", ""),
]


@pytest.mark.parametrize(("words", "codec", "content_type", "meta"), CHARSETS)
def test_letters_are_read_right_even_when_the_sender_lies(words: str, codec: str, content_type: str, meta: str) -> None:
    assert words.strip() in text_of(f"<html><head>{meta}</head><body><p>{words}".encode(codec), content_type)


def test_invisible_characters_are_left_out_and_sections_stay_in_place() -> None:
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    found = read(f"<body><h1>Ap\u200bples</h1><p>{tags}{BODY}\u202e</p><h2>Pears&#8203;</h2><p>{BODY}")
    assert not set(found.reading.text) & set(f"{tags}\u200b\u202e")
    for mark in found.reading.marks:
        heading = found.reading.text[mark.start : mark.body].strip()
        assert heading in ("Apples", "Pears")


FILES = [
    (json.dumps({"apples": 3}), "application/json", "http://a.example/x", '"apples": 3'),
    ("# Apples\n\nText", "text/markdown", "http://a.example/x", "# Apples"),
    ("# Apples\n\nText", "text/plain", "http://a.example/readme.md", "# Apples"),
    ("a,b\n1,2\n", "text/csv", "http://a.example/x", "a,b"),
    ("plain words", "text/plain; charset=utf-8", "http://a.example/x", "plain words"),
    ("plain words", "", "http://a.example/x.txt", "plain words"),
    ("<!doctype html><body>" + BODY, "text/plain", "http://a.example/x", "cool cellar"),
    ("<feed><entry>words</entry></feed>", "application/atom+xml", "http://a.example/x", "words"),
    ("x = 1\n", "application/octet-stream", "http://a.example/x.py", "x = 1"),
]


@pytest.mark.parametrize(("body", "content_type", "url", "words"), FILES)
def test_a_file_is_read_by_its_type_or_its_name(body: str, content_type: str, url: str, words: str) -> None:
    assert words in text_of(body, content_type, url)


def word_file(words: str) -> bytes:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = f'<w:document xmlns:w="{space}"><w:body><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:body></w:document>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", document)
    return file.getvalue()


def test_an_office_file_is_read() -> None:
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert "cellar" in text_of(word_file("In the cellar."), kind)
    assert "cellar" in text_of(word_file("In the cellar."), "application/octet-stream", "http://a.example/a.docx")


@pytest.mark.parametrize("content_type", ["image/png", "video/mp4", "application/zip", "audio/ogg", "font/woff2"])
def test_what_has_no_text_is_not_even_downloaded(content_type: str) -> None:
    assert not is_readable(Head(200, {"content-type": content_type}))


@pytest.mark.parametrize("content_type", [HTML, "", "text/plain", "application/octet-stream"])
def test_a_program_that_says_it_is_a_page_is_unreadable(content_type: str) -> None:
    assert isinstance(read_response(Response("http://a.example/x", content_type, b"\x7fELF" + bytes(5000))), Unreadable)


@pytest.mark.parametrize(
    ("sent", "body", "kept"),
    [
        ("text/html", b"%PDF-1.7 ...", "application/pdf"),
        ("application/octet-stream", b"<!doctype html><p>Apples", "text/html"),
        ("text/plain", b"Apples", None),
        ("text/csv; charset=utf-8", b"a,b", "text/csv"),
    ],
)
def test_what_a_page_is_made_of_is_told_by_its_bytes_before_the_word_of_its_server(
    sent: str, body: bytes, kept: str | None
) -> None:
    assert web_reading.content_type(Response("http://a.example/page", sent, body)) == kept


def read_outside(body: bytes, content_type: str = HTML, seconds: float = 20.0) -> WebReading | Unreadable:
    return anyio.run(read_apart, Response("http://a.example/page", content_type, body), seconds)


def test_a_page_is_the_same_when_it_is_read_in_a_process_apart() -> None:
    body = f"<title>T</title><body><h1>Apples</h1>{BODY}<h2>Peel</h2>{BODY}<a href=/x>x</a>".encode()
    assert read_outside(body) == read_response(Response("http://a.example/page", HTML, body))


def test_what_is_unreadable_is_told_from_a_process_apart() -> None:
    assert isinstance(read_outside(bytes(1000)), Unreadable)


PARSER_BOMBS = {
    "deep nesting": b"<div>" * 200_000,
    "formatting that is opened again in every paragraph": b"".join(b"<font a=%d>" % n for n in range(3000))
    + b"<p>" * 300_000,
}


@pytest.mark.parametrize("bomb", PARSER_BOMBS)
def test_a_page_that_keeps_the_parser_busy_is_given_up(bomb: str) -> None:
    assert isinstance(read_outside(PARSER_BOMBS[bomb], seconds=3), Unreadable)


def test_a_pdf_is_read_whatever_it_is_called() -> None:
    for content_type in ("application/pdf", HTML, "application/octet-stream"):
        found = read_outside(pdf_file("Apples keep in a cellar."), content_type)
        assert isinstance(found, WebReading)
        assert "Apples keep in a cellar." in found.reading.text
        assert found.reading.marks[0].section == "page 1"


def test_a_pdf_that_is_none_is_unreadable_whatever_it_is_called() -> None:
    for content_type in ("application/pdf", HTML, "text/plain"):
        assert isinstance(read_outside(b"%PDF-1.7\n" + b"1 0 obj\n" * 1000, content_type), Unreadable)
