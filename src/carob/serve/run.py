"""Start the server, and say where the page is."""

from __future__ import annotations

import socket
import sys
import webbrowser
from contextlib import suppress

from carob.errors import InputError
from carob.serve.security import Door
from carob.serve.uploads import Limits

_WARNING = """
!!! WARNING: {host} is not this machine alone. Everybody who reaches it over the network and has the address below !!!
!!! with its token sees your data, and the connection is not encrypted. Leave --host out unless you mean it.       !!!
"""


def serve(host: str, port: int, names: tuple[str, ...], limits: Limits, open_browser: bool) -> None:
    """Answer until interrupted."""
    import uvicorn

    from carob.serve.app import make_app

    try:
        bound = _bind(host, port)
    except OSError as error:
        raise InputError(
            f"cannot listen on {host}:{port}: {error.strerror or error}. Choose another --port, or 0 for any."
        ) from None
    door = Door(host, bound.getsockname()[1], names)
    config = uvicorn.Config(
        make_app(door, limits), log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=1
    )
    if not door.only_this_machine:
        sys.stderr.write(_WARNING.format(host=host))
    sys.stdout.write(f"carob is at {door.address}\nCtrl-C ends it, and forgets everything.\n")
    sys.stdout.flush()
    if open_browser:
        webbrowser.open(door.address)
    with suppress(KeyboardInterrupt):  # which is how it is meant to end
        uvicorn.Server(config).run(sockets=[bound])


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen()  # so that whoever comes before the server is ready waits
    except OSError:
        bound.close()
        raise
    return bound
