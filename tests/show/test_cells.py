from __future__ import annotations

import pytest

from carob.show.cells import Between, Cell, Correlation, Count, Loss, Money, Nats, Number, Percent, Share, Text

SHOWN: list[tuple[Cell, str]] = [
    (Text("spam"), "spam"),
    (Text(3), "3"),
    (Count(0), "0"),
    (Count(1_234_567), "1,234,567"),
    (Share(0.98765), ".988"),
    (Share(0.0004), ".000"),
    (Share(-0.0004), ".000"),
    (Share(-0.0052), "-.005"),
    (Share(1.0), "1.000"),
    (Share(0.9996), "1.000"),
    (Share(None), "-"),
    (Loss(1.4142), "1.414"),
    (Loss(-0.0052), "-.005"),
    (Nats(0.00074), "0.0007"),
    (Nats(-0.001), "-0.0010"),
    (Percent(0.2054), "20.5%"),
    (Percent(0.9, digits=0), "90%"),
    (Correlation(0.237), "+0.24"),
    (Correlation(-0.237), "-0.24"),
    (Money(1234.5), "1,234.50"),
    (Number(0.0081551526), "0.008155"),
    (Number(0.0081551526, digits=2), "0.0082"),
    (Between(Share(0.8), Share(0.9254)), ".800 to .925"),
    (Between(Loss(0.175), Loss(1.2)), ".175 to 1.200"),
    (Between(Nats(-0.001), Nats(0.0024)), "-0.0010 to 0.0024"),
    (Between(Share(0.0), Share(1.0)), "cannot tell"),
    (Between(Loss(0.0), Loss(1.0)), ".000 to 1.000"),
    (Between(Share(None), Share(None)), "-"),
]


@pytest.mark.parametrize(("cell", "text"), SHOWN)
def test_known_answer(cell: Cell, text: str) -> None:
    assert str(cell) == text


def test_a_cell_keeps_its_number_as_it_is() -> None:
    assert Share(0.98765).value == 0.98765
    assert Share(0.98765) != Share(0.98766)
