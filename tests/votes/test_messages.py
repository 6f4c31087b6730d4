from __future__ import annotations

import pytest

from carob import InputError
from carob.votes.messages import Message, mending, messages_of, of_kind, warning


def test_messages_by_kind_and_what_mends_them() -> None:
    messages = (Message("dropped", "a"), warning("b", "--map", "n o=no"), warning("c", "--map", "n o=no"), warning("d"))
    assert [message.words for message in of_kind(messages, "warning")] == ["b", "c", "d"]
    assert mending(messages) == ["--map", "n o=no"]
    assert messages_of([vars(message) for message in messages]) == messages


def test_files_of_older_versions_hold_sentences_on_what_was_dropped() -> None:
    assert messages_of(["Set aside: x."]) == (Message("dropped", "Set aside: x."),)


@pytest.mark.parametrize("held", [{"kind": "else", "words": ""}, {"kind": "guess", "words": 1}])
def test_refusals(held: dict[str, object]) -> None:
    with pytest.raises(InputError, match="messages are due"):
        messages_of([held])
