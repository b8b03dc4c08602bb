//! How many of something a command shows at most.

/// Nothing at all is never what is meant, and would be told as if there were nothing.
pub(crate) fn most(text: &str) -> Result<usize, String> {
    let count: usize = text.parse().map_err(|_| "it is a number, such as 20".to_owned())?;
    if count == 0 { Err("it is at least 1; leave it out for the usual number".to_owned()) } else { Ok(count) }
}

#[cfg(test)]
mod tests {
    use super::most;

    #[test]
    fn nothing_at_all_is_refused() {
        assert_eq!(most("7"), Ok(7));
        for wrong in ["0", "-1", "many", ""] {
            assert!(most(wrong).is_err(), "{wrong}");
        }
    }
}
