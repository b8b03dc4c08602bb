pub fn slug(title: &str) -> String {
    title.to_lowercase()
}
