def slug(title):
    words = title.split()
    return title.lower().replace(" ", "-")
