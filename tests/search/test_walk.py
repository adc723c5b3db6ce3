"""Which files are read."""

from __future__ import annotations

from pathlib import Path

from corpus import Corpus, corpus_fixture  # noqa: F401 - a fixture


def found(corpus: Corpus, *roots: Path) -> set[str]:
    passages = corpus.open(*roots).rank("zebra", 100)
    return {passage.source.location.removeprefix(f"{corpus.files.as_posix()}/") for passage in passages}


def write_all(corpus: Corpus, *names: str) -> None:
    for name in names:
        corpus.write(name, "zebra")


def test_ignored_files_and_folders_are_left_out(corpus: Corpus) -> None:
    corpus.write(".gitignore", "*.log\nbuild/\n!keep.log\n/top.txt\n")
    write_all(corpus, "a.txt", "a.log", "keep.log", "build/x.txt", "sub/build/y.txt", "top.txt", "sub/top.txt")
    assert found(corpus) == {"a.txt", "keep.log", "sub/top.txt"}


def test_an_ignore_file_further_down_decides_for_its_folder(corpus: Corpus) -> None:
    corpus.write(".gitignore", "*.log\n")
    corpus.write("sub/.gitignore", "!*.log\nprivate.txt\n")
    write_all(corpus, "a.log", "private.txt", "sub/a.log", "sub/private.txt", "sub/deep/private.txt")
    assert found(corpus) == {"private.txt", "sub/a.log"}


def test_the_ignore_file_of_the_repository_holds_for_a_folder_in_it(corpus: Corpus) -> None:
    (corpus.files / ".git").mkdir()
    corpus.write(".gitignore", "*.log\n")
    write_all(corpus, "docs/a.txt", "docs/a.log")
    assert found(corpus, corpus.files / "docs") == {"docs/a.txt"}


def test_an_ignored_folder_is_read_when_it_is_asked_for_by_name(corpus: Corpus) -> None:
    (corpus.files / ".git").mkdir()
    corpus.write(".gitignore", "build/\n")
    write_all(corpus, "build/a.txt")
    assert found(corpus, corpus.files / "build") == {"build/a.txt"}


def test_version_control_and_caches_are_left_out(corpus: Corpus) -> None:
    write_all(corpus, ".git/a.txt", ".hg/a.txt", "x/.svn/a.txt", "node_modules/a.txt", ".github/a.txt")
    assert found(corpus) == {".github/a.txt"}


def test_the_projects_own_folders_are_left_out(corpus: Corpus) -> None:
    write_all(corpus, ".research/a.txt", "reports/a.txt", "sub/reports/a.txt")
    assert found(corpus) == {"sub/reports/a.txt"}
    assert found(corpus, corpus.files / "reports") == {"reports/a.txt"}


def test_a_folder_called_reports_is_read_where_there_is_no_project(corpus: Corpus) -> None:
    write_all(corpus, "reports/a.txt")
    assert found(corpus) == {"reports/a.txt"}


def test_keys_and_passwords_are_never_read(corpus: Corpus) -> None:
    write_all(corpus, ".env", ".env.local", "server.pem", "id_rsa", "environment.txt")
    assert found(corpus) == {"environment.txt"}
