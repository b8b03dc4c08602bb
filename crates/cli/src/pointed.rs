//! What the words of a command point at: a run, and iterations of it.

use std::ops::RangeInclusive;

/// The longest word of digits that is taken for an iteration; a run's id is longer.
const LONGEST: usize = 6;

/// `3`, an iteration; anything else may be a run.
pub(crate) fn iteration(word: &str) -> Option<u32> {
    let is_number = word.len() <= LONGEST && word.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { word.parse().ok() } else { None }
}

/// `3`, `2..4`, `2..`, `..4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first iteration; from the beginning if there is none.
    pub(crate) first: Option<u32>,
    /// The last iteration; to the end if there is none.
    pub(crate) last: Option<u32>,
}

impl Span {
    pub(crate) fn parse(word: &str) -> Option<Span> {
        let Some((first, last)) = word.split_once("..") else {
            return iteration(word).map(|one| Span { first: Some(one), last: Some(one) });
        };
        let end = |word: &str| if word.is_empty() { Some(None) } else { iteration(word).map(Some) };
        Some(Span { first: end(first)?, last: end(last)? })
    }
}

/// What `[RUN] [N[..M]] [PATH…]` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pointed {
    pub(crate) run: Option<String>,
    pub(crate) span: Option<Span>,
    pub(crate) paths: Vec<String>,
}

impl Pointed {
    /// A first word that is neither a span nor a path can only be a run.
    pub(crate) fn parse(words: Vec<String>, is_path: impl Fn(&str) -> bool) -> Pointed {
        let mut pointed = Pointed::default();
        let mut words = words.into_iter().peekable();
        pointed.run = words.next_if(|word| Span::parse(word).is_none() && !is_path(word));
        pointed.span = words.next_if(|word| Span::parse(word).is_some()).and_then(|word| Span::parse(&word));
        pointed.paths = words.collect();
        pointed
    }
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
    use super::{Pointed, Span, run_and_iteration};

    #[test]
    fn a_run_a_span_and_paths_are_told_apart() {
        let parse = |words: &[&str]| {
            Pointed::parse(words.iter().map(|word| (*word).to_owned()).collect(), |word| word.contains('.'))
        };
        let pointed = |run: Option<&str>, span: Option<&str>, paths: &[&str]| Pointed {
            run: run.map(str::to_owned),
            span: span.and_then(Span::parse),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        };
        assert_eq!(parse(&[]), Pointed::default());
        assert_eq!(parse(&["2"]), pointed(None, Some("2"), &[]));
        assert_eq!(parse(&["1nfm", "2..4", "src"]), pointed(Some("1nfm"), Some("2..4"), &["src"]));
        assert_eq!(parse(&["a.rs", "2"]), pointed(None, None, &["a.rs", "2"]));
        assert_eq!(parse(&["..", "a.rs"]), pointed(None, Some(".."), &["a.rs"]));
        assert_eq!(parse(&["1nfm", "b.rs"]), pointed(Some("1nfm"), None, &["b.rs"]));
    }

    #[test]
    fn spans_of_iterations() {
        let span = |first, last| Some(Span { first, last });
        let cases = [
            ("3", span(Some(3), Some(3))),
            ("2..4", span(Some(2), Some(4))),
            ("2..", span(Some(2), None)),
            ("..4", span(None, Some(4))),
            ("..", span(None, None)),
            ("..a", None),
            ("", None),
            ("1nfm85e153p9", None),
            ("120045678901", None),
            ("src/lib.rs", None),
            ("..//a", None),
        ];
        for (word, expected) in cases {
            assert_eq!(Span::parse(word), expected, "{word}");
        }
    }

    #[test]
    fn a_number_alone_is_an_iteration_of_the_latest_run() {
        let words = |run: &str, number| run_and_iteration(Some(run.to_owned()), number);
        assert_eq!(words("3", None), (None, Some(3)));
        assert_eq!(words("12", Some(3)), (Some("12".to_owned()), Some(3)));
        assert_eq!(words("1nf", None), (Some("1nf".to_owned()), None));
    }
}
