"""The documents build as a site without a warning, and no link of theirs is dead."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import components
import pytest

ROOT = components.ROOT
DOCS = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "DEVELOPMENT.md", ROOT / "CHANGELOG.md", *DOCS]
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def slugs(path: Path) -> set[str]:
    """Anchors of a page, as GitHub and MyST name them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text("utf-8")), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        name, i = slug, 0
        while name in found:
            i += 1
            name = f"{slug}-{i}"
        found.add(name)
    return found


def dead_links(path: Path) -> list[str]:
    """Links of a page to files or headings that are not there."""
    dead = []
    for link in LINK.findall(FENCE.sub("", path.read_text("utf-8"))):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        missing_heading = anchor and target.suffix == ".md" and target.exists()
        if not target.exists() or (missing_heading and anchor not in slugs(target)):
            dead.append(link)
    return dead


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files_and_headings(path: Path) -> None:
    assert dead_links(path) == []


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# One, two\n## `code` in it\n```\n# no heading\n```\n")
    (tmp_path / "a.md").write_text(
        "[x](b.md#one-two) [y](b.md#code-in-it) [z](b.md#no-heading) [w](c.md) [v](#here)\n"
        "```\n[not](a-link.md)\n```\n# Here\n"
    )
    assert dead_links(tmp_path / "a.md") == ["b.md#no-heading", "c.md"]


def test_every_page_is_listed_on_the_first_page() -> None:
    index = ROOT / "docs" / "index.md"
    listed = {(index.parent / link).resolve() for link in LINK.findall(index.read_text("utf-8"))}
    # A folder's own first page may list the rest of it.
    for page in list(listed):
        if page.suffix == ".md" and page.parent != index.parent and page.exists():
            inner = LINK.findall(page.read_text("utf-8"))
            listed |= {(page.parent / link.partition("#")[0]).resolve() for link in inner}
    missing = [str(path.relative_to(ROOT)) for path in DOCS if path not in {*listed, index}]
    assert missing == [], "add a line to docs/index.md"


def test_units_are_written_one_way() -> None:
    files = [*DOCUMENTS, *(ROOT / "examples").glob("*.py")]
    files += [p for p in (ROOT / "src").rglob("*") if p.suffix in (".py", ".toml", ".hpp", ".cpp")]
    wrong = [path.name for path in files if re.search(r"\bNm\b", path.read_text("utf-8"))]
    assert wrong == [], "newton metres are N m"


def test_pictures_of_the_documents_are_used() -> None:
    text = "".join(path.read_text("utf-8") for path in DOCUMENTS)
    unused = [p.name for p in (ROOT / "docs" / "images").iterdir() if p.name not in text]
    assert unused == []


def tool(name: str) -> ModuleType:
    """A script of tools/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_benchmark_page_is_made_from_the_kept_results() -> None:
    page = tool("bench_page")
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.page_text(text, page.RESULTS) == text, "run: python tools/bench_page.py"
    for name in ("Kinematics", "Dynamics", "Inverse kinematics"):
        assert f"\n### {name}\n" in text


def test_benchmark_page_names_machine_and_versions(tmp_path: Path) -> None:
    row = {"what": "fk", "who": "baxterkit", "best_ns": 9.0, "median_ns": 1234.0, "p99_ns": 2e6}
    row |= {"worst_ns": 3e9, "against": "other", "ratio": 4.25}
    machine = {"cpu": "A", "cores": 2, "isa": "avx2", "load": 0.1, "compiler": "G", "commit": "c"}
    machine |= {"versions": {"python": "3", "numpy": "2"}, "when": "2026-01-02T03:04:05Z"}
    content = {"title": "test", "machine": machine, "results": [row]}
    (tmp_path / "bench_test.json").write_text(json.dumps(content))
    text = tool("bench_page").results_text(tmp_path).replace("\N{NO-BREAK SPACE}", " ")
    assert (
        "A, 2 cores, avx2, load 0.1 at the end; G; python 3, numpy 2; commit c, 2026-01-02." in text
    )
    assert "| fk | baxterkit | 9 ns | 1.23 µs | 2 ms | 3 s | 4.2 (other) |" in text


def test_reference_holds_every_public_name(tmp_path: Path) -> None:
    tool("build_docs").assemble(tmp_path)
    text = "".join(path.read_text("utf-8") for path in (tmp_path / "api").glob("*.md"))
    for name in ("baxterkit.Arm", "baxterkit.Baxter", "baxterkit.Payload", "baxterkit.set_threads"):
        assert f":: {name}\n" in text
    import baxterkit
    from baxterkit import plot

    assert all(f":: baxterkit.plot.{name}\n" in text for name in plot.__all__)
    parts = baxterkit._PARTS
    assert [name for name in parts if f"automodule:: baxterkit.{name}\n" not in text] == []


@pytest.mark.site
def test_site_builds_without_a_warning(tmp_path: Path) -> None:
    components.require("sphinx")
    command = [sys.executable, ROOT / "tools" / "build_docs.py", "--out", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    site = tmp_path / "html"
    pages = ["index", "quickstart", "conventions", "errata", "benchmarks", "api/arm"]
    for page in [*pages, "examples/01_forward_kinematics", "project/changelog"]:
        assert (site / f"{page}.html").exists()
    text = (site / "api" / "arm.html").read_text(encoding="utf-8")
    assert 'id="baxterkit.Arm.inverse_dynamics"' in text
    assert dead_targets(site) == []
    assert [page.name for page in site.rglob("*.html") if needs_network(page)] == []


def needs_network(page: Path) -> bool:
    """Whether a page loads anything from elsewhere; links do not count."""
    text = page.read_text(encoding="utf-8")
    return re.search(r'(<script[^>]*|<img[^>]*|<link[^>]*) (src|href)="https?:', text) is not None


def dead_targets(site: Path) -> list[str]:
    """Links of the built site that lead to no file or to no place in it."""
    texts = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    dead = set()
    for path, text in texts.items():
        for link in re.findall(r'(?:href|src)="([^"]*)"', text):
            if re.match(r"(https?|data|mailto|javascript):", link) or link in ("", "#"):
                continue
            name, _, anchor = link.partition("#")
            target = (path.parent / name.split("?")[0]).resolve() if name else path
            has_anchors = anchor and target.suffix == ".html" and target.exists()
            if not target.exists() or (has_anchors and f'id="{anchor}"' not in texts[target]):
                dead.add(f"{path.relative_to(site)}: {link}")
    return sorted(dead)
