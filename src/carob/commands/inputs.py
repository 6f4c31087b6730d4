"""What commands are asked for: where the votes are, and how to learn from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from carob._types import Label
from carob.commands.progress import Progress, started
from carob.count.digest import Digest
from carob.label import fit as label_fit
from carob.model.label_model import LabelModel
from carob.posterior.settings import Settings
from carob.read import votes_of_source
from carob.read.table import ReadOptions
from carob.votes import Votes

if TYPE_CHECKING:
    from carob.engines.labels import Chunk  # loads pyarrow
    from carob.engines.local import FileVotes
    from carob.read.formats import FileContent


@dataclass(frozen=True)
class VotesFile:
    """A file or query with votes, and how to read it."""

    votes: str | FileContent  # path or query, or a file in memory
    reading: ReadOptions = field(default_factory=ReadOptions)
    classes: Sequence[Label] | None = None  # as in `carob.read_votes`

    @property
    def name(self) -> str:
        """What the votes are called."""
        return self.votes if isinstance(self.votes, str) else self.votes.name

    def apart_from(self, written: Sequence[str]) -> VotesFile:
        """The same, refused where one of these files, which will be written, is among those that are read."""
        return replace(self, reading=replace(self.reading, written=(*self.reading.written, *written)))

    def read(self) -> Votes:
        """The votes, with gold where there is some, in memory."""
        return votes_of_source(self.votes, self.reading, self.classes)

    def open(self, settings: Settings, progress: Progress, pairs: bool = False) -> Votes | FileVotes:
        """The votes, in memory, or read part by part where they are many; counts of pairs where asked for."""
        from carob.engines.local import open_votes  # loads pyarrow

        told = started(progress, "reading")
        return open_votes(self.votes, self.reading, self.classes, settings, pairs, told)


def model_of(settings: Settings) -> LabelModel:
    """A model with these settings."""
    return LabelModel(**{field.name: getattr(settings, field.name) for field in fields(Settings)})


def learn(votes: Votes | FileVotes, settings: Settings, progress: Progress) -> LabelModel:
    """A model that has learned from the votes, and from gold where there is some."""
    told, model = started(progress, "sources"), model_of(settings)
    if isinstance(votes, Votes):
        return model.fit(votes, votes.gold, progress=told)
    return model.fit(votes.digest, progress=told)


def digest_of(votes: Votes | FileVotes, settings: Settings) -> Digest:
    """A digest of votes and the gold that came with them."""
    return label_fit.digest_of(votes, votes.gold, settings) if isinstance(votes, Votes) else votes.digest


def whole_part(data: VotesFile, votes: Votes, keep: Sequence[str]) -> Iterator[Chunk]:
    """Votes that are in memory as one part, with some columns of the table that they come from."""
    from carob.engines.labels import Chunk
    from carob.engines.local import kept_columns  # loads pyarrow

    yield Chunk(votes, 0, kept_columns(data.votes, data.reading, votes, keep) if keep else None)
