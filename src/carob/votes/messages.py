"""What is to be known of data before results are used: what was dropped, guessed, and is to be looked at first."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from carob.errors import InputError

MessageKind = Literal["dropped", "warning", "guess"]


@dataclass(frozen=True)
class Message:
    """Something to be known of the data."""

    kind: MessageKind  # left out of the data; to be looked at before results are used; not said by anybody, and assumed
    words: str  # what it is, and what to do about it
    # what mends it, as typed on the command line; empty where there is nothing to mend, or a choice to make first
    option: str = ""


def warning(words: str, *options: str) -> Message:
    """Something to look at first, and the words of the command line that mend it."""
    return Message("warning", words, shlex.join(options))


def of_kind(messages: Iterable[Message], kind: MessageKind) -> tuple[Message, ...]:
    """Those of one kind."""
    return tuple(message for message in messages if message.kind == kind)


def mending(messages: Iterable[Message]) -> list[str]:
    """The words of the command line that mend what can be mended at once, each option once."""
    return [word for option in dict.fromkeys(message.option for message in messages) for word in shlex.split(option)]


def messages_of(content: Sequence[Any]) -> tuple[Message, ...]:
    """Messages of a file: what `vars` of each made, or, until version 0.2, sentences on what was dropped."""
    messages = tuple(Message("dropped", held) if isinstance(held, str) else Message(**held) for held in content)
    texts = all(isinstance(text, str) for message in messages for text in (message.words, message.option))
    if not texts or any(message.kind not in get_args(MessageKind) for message in messages):
        raise InputError("it holds something else where messages are due")
    return messages
