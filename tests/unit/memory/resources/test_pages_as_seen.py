"""HTML as a reader of the page sees it: what is hidden stays out, what styles keep apart stays apart."""

from __future__ import annotations

import pytest

from beaver.memory.resources.reading_html import read_html


def seen(markup: str) -> str:
    return read_html(markup)[0]


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>secret</p>",
        "<p hidden>secret<p>",
        "<div hidden><div>secret</div>secret</div>",
        "<p style='display:none'>secret</p>",
        '<div style="color: red; DISPLAY : none !important"><p>secret</p>secret</div>',
        "<span style=visibility:hidden>secret</span>",
        "<span style='font-size: 0'>secret</span>",
        "<span style='font-size:0px'>secret</span>",
        "<div style='font-size:0'><p><b>secret</b></p><p style='font-size:12px'>shown</p>secret</div>",
        "<div hidden><p style='visibility:visible;font-size:12px'>secret</p></div>",
        "<span style='opacity:0'>secret</span>",
        "<dialog>secret</dialog>",
        "<noframes>secret</noframes>",
        "<datalist><option>secret</datalist>",
        "<ul><li hidden>secret<li>shown</ul>",
        "<table><tr hidden><td>secret<tr><td>shown</table>",
        "<div><span hidden>secret</div>",
    ],
)
def test_what_the_page_hides_is_not_read(hidden: str) -> None:
    page = seen(f"<p>before</p>{hidden}<p>after</p>")
    assert "secret" not in page
    assert page.startswith("before")
    assert page.endswith("after")


@pytest.mark.parametrize(
    "shown",
    [
        "<p style='opacity: 0.5'>told</p>",
        "<p style='font-size:0.9em'>told</p>",
        "<p hidden='until-found'>told</p>",
        "<dialog open>told</dialog>",
        "<details><summary>more</summary>told</details>",
        "<input hidden>told",
        "<br hidden>told",
        "<p style='display:block'>told</p>",
        "<svg><title>x</title></svg>told",
        "</div></div>told",
        "<main style='visibility:hidden'>told</main>",
        "<td style='font-size:0px;padding:20px'><div style='font-size:13px'>told</div></td>",
        "<div style='visibility:hidden'><p style='visibility:visible'>told</p></div>",
    ],
)
def test_what_a_reader_can_see_is_read(shown: str) -> None:
    assert "told" in seen(f"<p>before</p>{shown}<p>after</p>")


def test_a_page_that_is_hidden_until_it_is_drawn_is_read() -> None:
    assert seen("<html style=visibility:hidden><body style='opacity:0'><p>told</p>") == "told"


def test_a_table_is_a_line_for_each_row_and_cells_stay_apart() -> None:
    table = """<p>Intervals:</p><table><caption>Parts</caption><thead><tr><th>Part</th><th>Interval</th></tr></thead>
    <tbody><tr><td><p>Boiler</p></td><td><p>12 months</p></td></tr><tr><td>Pump<td>6 months</tbody></table><p>That is all.</p>"""
    assert seen(table) == (
        "Intervals:\n\nParts\n\nPart | Interval\nBoiler | 12 months\nPump | 6 months\n\nThat is all."
    )


def test_links_and_buttons_side_by_side_are_words_of_their_own() -> None:
    page = "<a>Home</a><a>Blog</a> <a>About</a><button>Buy</button><button>Sell</button>, <a>un</a>seen"
    assert seen(page) == "Home Blog About Buy Sell, unseen"


def test_preformatted_text_stands_as_it_was_between_fences() -> None:
    page = "<h1>Setup</h1><pre><code># a comment\n\n\tmake\n one</code>\n</pre><p># no heading of ours"
    assert seen(page).startswith("# Setup\n\n```\n# a comment\n\n\tmake\n one\n```\n\n")


def test_a_fence_that_never_ends_is_closed() -> None:
    assert seen("<pre>a\n b") == "```\na\n b\n```"


def test_a_page_of_elements_that_nobody_closes_is_read_to_its_end() -> None:
    page = "<b>" * 100_000 + "</i>" * 100_000 + "<div hidden>" * 1000 + "</div>" * 1000 + "the end"
    assert seen(page) == "the end"


def test_a_line_of_megabytes_is_read() -> None:
    page = "<p>" + "<span>the heron waits</span> " * 50_000
    assert len(seen(page)) == 50_000 * len("the heron waits ") - 1
