pub fn slug(title: &str) -> String {
    title.to_lower_case().replace(' ', "-")
}
