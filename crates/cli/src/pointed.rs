//! What the words of a command point at: a run, and iterations of it.

use std::ops::RangeInclusive;

/// The longest word of digits that is taken for an iteration; a run's id is longer.
const LONGEST: usize = 6;

/// `3`, an iteration; anything else may be a run.
pub(crate) fn iteration(word: &str) -> Option<u32> {
    let is_number = word.len() <= LONGEST && word.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { word.parse().ok() } else { None }
}

/// The run and the iteration that two words of a command mean: `RUN`, `N` or `RUN N`.
pub(crate) fn run_and_iteration(run: Option<String>, number: Option<u32>) -> (Option<String>, Option<u32>) {
    match (run.as_deref().and_then(iteration), number) {
        (Some(only), None) => (None, Some(only)),
        _ => (run, number),
    }
}

/// `iterations 1 to 3`, for a person who named another.
pub(crate) fn known(iterations: Option<RangeInclusive<u32>>) -> String {
    match iterations {
        None => "it has no iteration yet".to_owned(),
        Some(all) if all.start() == all.end() => format!("it has iteration {} alone", all.start()),
        Some(all) => format!("it has iterations {} to {}", all.start(), all.end()),
    }
}

#[cfg(test)]
mod tests {
    use super::run_and_iteration;

    #[test]
    fn a_number_alone_is_an_iteration_of_the_latest_run() {
        let words = |run: &str, number| run_and_iteration(Some(run.to_owned()), number);
        assert_eq!(words("3", None), (None, Some(3)));
        assert_eq!(words("12", Some(3)), (Some("12".to_owned()), Some(3)));
        assert_eq!(words("1nf", None), (Some("1nf".to_owned()), None));
    }
}
