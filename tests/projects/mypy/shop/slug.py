def slug(title: str) -> str:
    return title.lower_case().replace(" ", "-")
