def slug(title: str) -> str:
    return title.lower("x").replace(" ", "-")
