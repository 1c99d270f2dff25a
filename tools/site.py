"""Whose list prices count first: those of the China site in CNY, or those of the international site in USD.

The two are never converted into one another. Set by who puts the program together; each thread of work has its own.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Literal

Site = Literal["cn", "intl"]
CURRENCIES: dict[Site, str] = {"cn": "CNY", "intl": "USD"}
_site: ContextVar[Site] = ContextVar("site", default="cn")


def use_site(site: Site) -> None:
    """Makes the prices of a site count first, from here on."""
    _site.set(site)


def current_site() -> Site:
    """The site whose prices count first."""
    return _site.get()


def site_currency() -> str:
    """The currency of that site: CNY or USD."""
    return CURRENCIES[_site.get()]
