def total(prices: list[int]) -> int:
    return str(sum(prices))
