"""The local page: a workspace in memory, its views as HTML, and a small server that only this machine reaches."""

from __future__ import annotations

from carob.errors import InputError


def check_server() -> None:
    """Refuse where the packages of the page are missing."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise InputError("the local page needs Starlette and uvicorn: pip install 'carob[serve]'.") from None
