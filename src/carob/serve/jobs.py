"""Long work in a thread: how far it is, and an end to it when nobody waits for it any more."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from carob.commands.progress import Stage
from carob.errors import InputError, NotIdentifiedError
from carob.show.progress import WORDS

_LOG = logging.getLogger(__name__)
State = Literal["running", "done", "failed", "cancelled"]


class CancelledError(Exception):
    """Nobody waits for the work any more."""


@dataclass
class Job:
    """Some work, and how far it is."""

    state: State = "running"
    words: str = "reading"  # what is being done
    # done, total: steps; 0 of 0 where it is not known how many there are
    done: int = 0
    total: int = 0
    error: str = ""  # the library's own sentence, where it refuses
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    def tell(self, stage: Stage, done: int, total: int) -> None:
        """Hear how far the work is; ends it where nobody waits for it any more."""
        if self.state == "cancelled":
            raise CancelledError
        self.words, self.done, self.total = WORDS[stage], done, total

    def cancel(self) -> None:
        """Wait no longer. What runs ends at its next step, and its result is dropped."""
        if self.state == "running":
            self.state = "cancelled"
            self._ended.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the work ends; returns whether it has."""
        return self._ended.wait(seconds)


Work = Callable[[Job], Callable[[], None]]


def start(work: Work) -> Job:
    """Begin some work.

    `work`: given its job, which hears how far it is; returns what takes its result over, which is called only if
    somebody waits.
    """
    job = Job()
    threading.Thread(target=_run, args=(job, work), daemon=True).start()
    return job


def _run(job: Job, work: Work) -> None:
    try:
        take_over = work(job)
        if job.state == "running":
            take_over()
            job.state = "done"
    except CancelledError:
        pass
    except (InputError, NotIdentifiedError) as error:
        _fail(job, str(error))
    except MemoryError:
        _fail(job, "there is not enough memory for this much data; use fewer rows.")
    except Exception as error:
        _LOG.exception("a fault in the local page")
        _fail(job, f"carob has a fault here ({type(error).__name__}: {error}). Please report it.")
    finally:
        job._ended.set()


def _fail(job: Job, sentence: str) -> None:
    if job.state == "running":
        job.error, job.state = sentence, "failed"
