"""What commands are asked for: where the votes are, and how to learn from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from karat._types import Label
from karat.commands.progress import Progress, started
from karat.estimate.settings import Settings
from karat.io.table import Reading
from karat.model import LabelModel
from karat.votes import Votes, read_for_model

if TYPE_CHECKING:
    from karat.io.formats import FileContent  # loads pyarrow


@dataclass(frozen=True)
class VotesFile:
    """A file or query with votes, and how to read it.

    Parameters
    ----------
    votes : str or FileContent
        Path or query, or a file in memory.
    reading : Reading
    classes : sequence, optional
        As in `karat.read_votes`.
    """

    votes: str | FileContent
    reading: Reading = field(default_factory=Reading)
    classes: Sequence[Label] | None = None

    @property
    def name(self) -> str:
        """What the votes are called."""
        return self.votes if isinstance(self.votes, str) else self.votes.name

    def apart_from(self, written: Sequence[str]) -> VotesFile:
        """The same, refused where one of these files, which will be written, is among those that are read."""
        return replace(self, reading=replace(self.reading, written=(*self.reading.written, *written)))

    def read(self) -> Votes:
        """The votes, with gold where there is some."""
        return Votes.of_source(self.votes, self.reading, self.classes)

    def read_for(self, model: LabelModel) -> Votes:
        """The votes of the sources that a fitted model knows, coded as it knows them."""
        reading = self.reading
        return read_for_model(
            self.votes,
            model.source_model_.sources,
            model.coding_,
            key=reading.key,
            task=reading.task,
            worker=reading.worker,
            label=reading.label,
            repeats=reading.repeats,
            written=reading.written,
        )


def learn(votes: Votes, settings: Settings, progress: Progress) -> LabelModel:
    """A model that has learned from the votes, and from gold where there is some."""
    return LabelModel.of_settings(settings).fit(votes, votes.gold, progress=started(progress, "sources"))
