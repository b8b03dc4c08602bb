use shop::slug::slug;

#[test]
fn letters_are_small() {
    assert_eq!(slug("Hello"), "hello");
}

#[test]
fn words_are_joined() {
    assert_eq!(slug("Hello World"), "hello-world");
}
