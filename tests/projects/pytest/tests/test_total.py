from shop.total import total


def test_nothing_costs_nothing():
    assert total([]) == 0


def test_every_price_counts():
    assert total([1, 2, 3]) == 6
