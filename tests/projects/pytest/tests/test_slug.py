from shop.slug import slug


def test_letters_are_small():
    assert slug("Hello") == "hello"


def test_words_are_joined():
    assert slug("Hello World") == "hello-world"
