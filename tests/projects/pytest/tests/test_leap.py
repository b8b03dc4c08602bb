from shop.leap import is_leap


def test_every_fourth_year_is_one():
    assert is_leap(2024)


def test_a_century_is_none():
    assert not is_leap(1900)
