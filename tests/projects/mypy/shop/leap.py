def divides(year: int, by: int) -> bool:
    return year % by == 0


def is_leap(year: int) -> bool:
    return divides(year, 4) and (not divides(year, 100) or divides(400))
