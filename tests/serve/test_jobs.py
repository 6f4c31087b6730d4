from __future__ import annotations

import threading

import pytest

from carob import InputError
from carob.serve.jobs import CancelledError, Job, start


def test_work_tells_how_far_it_is_and_is_taken_over() -> None:
    taken: list[int] = []
    goes_on = threading.Event()

    def work(job: Job) -> object:
        job.tell("value", 2, 8)
        goes_on.wait(5)
        return lambda: taken.append(1)

    job = start(work)  # type: ignore[arg-type]
    assert not job.wait(0.05)
    assert (job.state, job.words, job.done, job.total) == ("running", "weighing gold against votes", 2, 8)
    goes_on.set()
    assert job.wait(5)
    assert (job.state, taken) == ("done", [1])


def test_cancelled_work_ends_at_its_next_step_and_its_result_is_dropped() -> None:
    taken: list[int] = []
    goes_on, ended = threading.Event(), threading.Event()

    def work(job: Job) -> object:
        goes_on.wait(5)
        try:
            job.tell("value", 1, 2)
        except CancelledError:
            ended.set()
            raise
        return lambda: taken.append(1)

    job = start(work)  # type: ignore[arg-type]
    job.cancel()
    assert job.wait(0)  # nobody waits for it
    goes_on.set()
    assert ended.wait(5)
    assert (job.state, taken) == ("cancelled", [])
    job.cancel()
    assert job.state == "cancelled"


def test_a_refusal_is_the_librarys_own_sentence() -> None:
    def work(job: Job) -> object:
        raise InputError("no source is left.")

    job = start(work)  # type: ignore[arg-type]
    assert job.wait(5)
    assert (job.state, job.error) == ("failed", "no source is left.")


def test_a_fault_says_so_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def work(job: Job) -> object:
        raise ZeroDivisionError("division by zero")

    job = start(work)  # type: ignore[arg-type]
    assert job.wait(5)
    assert job.state == "failed"
    assert "carob has a fault here (ZeroDivisionError: division by zero)" in job.error
    assert "a fault in the local page" in caplog.text
