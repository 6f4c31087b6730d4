from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from carob import InputError
from carob.read.arrow import identifiers, keys, narrow, numbers, vote_column


@pytest.mark.parametrize(
    ("column", "levels", "cells"),
    [
        (pa.chunked_array([["a ", None], [" a", "b"]]), ["a", "b"], [0, -1, 0, 1]),
        (pa.chunked_array([pa.array(["x", "y", "x"]).dictionary_encode()]), ["x", "y"], [0, 1, 0]),
        (pa.chunked_array([pa.array([3, None, 1], pa.uint8())]), [1, 3], [1, -1, 0]),
        (pa.chunked_array([pa.array([True, False, None])]), [False, True], [1, 0, -1]),
        (pa.chunked_array([pa.nulls(2)]), [], [-1, -1]),
        (pa.chunked_array([pa.array([1.0, 0.0])]), [0, 1], [1, 0]),
        (pa.chunked_array([pa.array(["b", "a"], pa.string_view())]), ["b", "a"], [0, 1]),
    ],
)
def test_columns_of_every_type(column: object, levels: list[object], cells: list[int]) -> None:
    found = vote_column(column, "column 'x'", None)
    assert found.levels == levels
    assert found.cells.tolist() == cells


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (pa.array([b"\xff"], pa.binary()), "bytes that are not UTF-8"),
        (pa.array([1], pa.timestamp("s")), "is of type timestamp"),
        (pa.array([0.5]), "a vote is a class, not a measurement"),
    ],
)
def test_refusal_of_columns(values: object, text: str) -> None:
    with pytest.raises(InputError, match=text):
        vote_column(pa.chunked_array([values]), "column 'x'", None)


def test_identifiers_in_their_first_order_and_keys() -> None:
    table = pa.table({"who": ["b", "a", "b"], "nested": [[1], [2], [3]], "gap": [1, None, 2]})
    names, rows = identifiers(table, "who")
    assert (names, rows.tolist()) == (["b", "a"], [0, 1, 0])
    assert keys(table, "who").tolist() == ["b", "a", "b"]
    for name, text in (("nested", "an identifier is a number or text"), ("gap", "is empty in 1 rows")):
        with pytest.raises(InputError, match=text):
            identifiers(table, name)
        with pytest.raises(InputError, match=text):
            keys(table, name)


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_()])
@pytest.mark.parametrize("values", [[1, 0, 1, 1, 0], [1, None, 0, None, 1], [None] * 5, []])
def test_numbers_of_every_type_chunked_and_cut(kind: pa.DataType, values: list[int | None]) -> None:
    numpy_type = kind.to_pandas_dtype()
    plain = pa.array([None if value is None else numpy_type(value) for value in values], kind)
    for column in (plain, pa.chunked_array([plain]), pa.chunked_array([plain[:2], plain[2:]], kind), plain[1:]):
        found, empty = numbers(column)
        expected = column.to_pylist()
        assert found.dtype == np.dtype(numpy_type)
        assert found.tolist() == [value or 0 for value in expected]
        assert (empty is None) == (None not in expected)
        assert empty is None or empty.tolist() == [value is None for value in expected]


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.int64(), pa.uint64()])
def test_small_whole_numbers_take_a_byte_and_others_stay(kind: object) -> None:
    small, large = pa.array([1, None, 127], kind), pa.array([1, 100, 127], kind)
    assert narrow(small).type == pa.int8()
    assert narrow(small).to_pylist() == [1, None, 127]
    if kind != pa.int8():
        assert narrow(pa.array([1, 128], kind)).type == kind
    assert narrow(pa.array([None, None], kind)).type == kind
    assert narrow(large.slice(1)).to_pylist() == [100, 127]
    assert narrow(pa.array([1.0])).type == pa.float64()


def test_numbers_of_a_part_of_an_array() -> None:
    whole = pa.array(range(10), pa.int8())
    for part in (whole.slice(3, 4), pa.chunked_array([whole.slice(3, 4)])):
        assert numbers(part)[0].tolist() == [3, 4, 5, 6]
    assert numbers(pa.chunked_array([whole.slice(3, 2), whole.slice(7, 1)]))[0].tolist() == [3, 4, 7]
    assert numbers(pa.chunked_array([], pa.int8()))[0].tolist() == []
