"""Reads HTML: the article of a page, without navigation, share bars, cookie banners and lists of links. Nothing is ever fetched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .dates import find_date
from .encoding import declared_charset, decode
from .furniture import holds_figure
from .html_text import written
from .limits import ReadLimits, ReadText, Unreadable
from .plain import finish

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

NEVER_TEXT = ("script", "style", "noscript", "template", "iframe", "object", "svg", "canvas", "select", "button", "input", "textarea", "dialog", "head")
FURNITURE_TAGS = ("nav", "footer", "aside", "menu")
FURNITURE_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar"})
FURNITURE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|breadcrumbs?|crumbs?|share|sharing|social|related|recommend\w*|comments?|reply|replies|cookies?|consent|gdpr"
    r"|pagination|pager|toolbar|advert\w*|ads?|banner|subscribe|newsletter|copyright|footer|toc|tags?|login|modal|popup|reward|qrcode|author-?info)(?:$|[\s_-])",
    re.I,
)
CONTENT_NAMES = re.compile(
    r"(?:^|[\s_-])(?:markdown-body|rich_media_content|article[-_]?(?:content|body|detail)|post[-_]?(?:content|body)|entry[-_]?content|blog[-_]?content[-_]?box|content_views"
    r"|topic-content|page-content|main-content|md-content|theme-doc-markdown|rst-content|body-content)(?:$|[\s_-])",
    re.I,
)
DATE_NAMES = ("article:published_time", "article:modified_time", "og:updated_time", "datepublished", "datemodified", "pubdate", "publishdate", "date", "dc.date", "last-modified")
LEAST_SHARE = 0.4
"""An article that holds less of the page's prose than this is none: the page is a list of several, or its text stands elsewhere."""
LINKED = 0.8
"""Share of linked letters from which a list is one of links."""
FEWEST_LINKS = 3
DEEPEST = 250
"""Elements inside each other; real pages have less than a hundred, and some searches grow with depth."""


def read_html(data: bytes, limits: ReadLimits) -> ReadText:
    """Text of a page. Raises Unreadable for unknown encodings and pages without text."""
    from bs4 import BeautifulSoup

    source = decode(data, declared=declared_charset(data))
    if source is None:
        raise Unreadable("binary")
    soup = BeautifulSoup(source, "lxml")
    _refuse_depth(soup)
    title, published = _title(soup), _date(soup)
    body = soup.body or soup
    for tag in body.find_all(NEVER_TEXT):
        tag.decompose()
    main = _main(body)
    _drop_furniture(main)
    _drop_link_lists(main)
    return finish(written(main), title=title, published_on=published, limits=limits)


def _refuse_depth(soup: BeautifulSoup) -> None:
    depths = {id(soup): 0}
    for tag in soup.find_all(True):
        depths[id(tag)] = depth = depths[id(tag.parent)] + 1
        if depth > DEEPEST:
            raise Unreadable("too_deep", form="HTML")


def _title(soup: BeautifulSoup) -> str:
    """og:title, else the only h1, else <title> without the name of the site."""
    stated = soup.find("meta", attrs={"property": "og:title"})
    if stated and str(stated.get("content") or "").strip():
        return str(stated["content"])
    heads = [head.get_text(" ", strip=True) for head in soup.find_all("h1")]
    if len(heads) == 1 and heads[0]:
        return heads[0]
    whole = soup.title.get_text(" ", strip=True) if soup.title else ""
    return re.split(r"\s+[|–—_»]\s+|[_|](?=[^_|]{1,30}$)|\s-\s(?=[^-]{1,30}$)", whole)[0]


def _date(soup: BeautifulSoup) -> str:
    """What the head states, else the first <time>."""
    stated = {str(tag.get("property") or tag.get("name") or tag.get("itemprop") or "").lower(): tag for tag in soup.find_all("meta")}
    values = [str(stated[name].get("content") or "") for name in DATE_NAMES if name in stated]
    values += [str(tag.get("datetime") or tag.get_text()) for tag in soup.find_all("time", limit=3)]
    return next((date for value in values if (date := find_date(value))), "")


def _main(body: Tag) -> Tag:
    """The element with the article: the smallest of the likely ones that holds most of the prose, else the whole body."""
    whole = _prose(body)
    likely = [tag for tag in body.find_all(True) if _is_content(tag)]
    held = [tag for tag in likely if _prose(tag) >= LEAST_SHARE * whole]
    return min(held, key=_letters, default=body)


def _is_content(tag: Tag) -> bool:
    return tag.name in ("main", "article") or tag.get("role") == "main" or bool(CONTENT_NAMES.search(_names(tag)))


def _prose(tag: Tag) -> int:
    """Letters in paragraphs, list items, cells and headings that are not links."""
    total = 0
    for part in tag.find_all(("p", "li", "td", "h1", "h2", "h3", "h4", "pre")):
        if part.find(("p", "li", "td", "pre")) is None:
            total += _letters(part) - sum(map(_letters, part.find_all("a")))
    return total or _letters(tag)


def _letters(tag: Tag) -> int:
    return len("".join(tag.get_text().split()))


def _names(tag: Tag) -> str:
    return " ".join([*(tag.get_attribute_list("class")), str(tag.get("id") or "")] if tag.attrs else [])


def _drop_furniture(main: Tag) -> None:
    """Takes out what is furniture by its tag, role or name, or is hidden; never what holds a sentence with a figure."""
    whole = max(1, _letters(main))
    for tag in main.find_all(True):
        if tag.decomposed or not _is_furniture(tag):
            continue
        if tag.name == "nav" or not (_states(tag) or _letters(tag) > 0.5 * whole):
            tag.decompose()


def _is_furniture(tag: Tag) -> bool:
    if tag.name in FURNITURE_TAGS or tag.get("role") in FURNITURE_ROLES or tag.has_attr("hidden"):
        return True
    style = str(tag.get("style") or "").replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style or bool(FURNITURE_NAMES.search(_names(tag)))


def _states(tag: Tag) -> bool:
    """Whether something outside its links holds a figure."""
    linked = {id(text) for link in tag.find_all("a") for text in link.find_all(string=True)}
    return any(holds_figure(text) for text in tag.find_all(string=True) if id(text) not in linked)


def _drop_link_lists(main: Tag) -> None:
    """Takes out lists of nothing but links ("related", "more from us"); one that holds figures stays."""
    for tag in main.find_all(("ul", "ol")):
        links = [] if tag.decomposed else tag.find_all("a")
        if len(links) < FEWEST_LINKS or holds_figure(tag.get_text(" ")):
            continue
        if sum(map(_letters, links)) >= LINKED * max(1, _letters(tag)):
            tag.decompose()
