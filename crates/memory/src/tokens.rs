//! What a text takes up in a brief.

/// Longer texts are counted piece by piece: the tokenizer gives up on what it has to look at for too long.
const PIECE: usize = 16 * 1024;

/// How many tokens a text has. No two models count alike, so this is a measure and not a price; it is the same
/// everywhere, though, and real.
///
/// The first call of a process reads the vocabulary, which takes some tenths of a second. Notes are counted when they
/// are made of the log, so that who only appends to the log never pays for it.
pub fn tokens(text: &str) -> u32 {
    if text.is_empty() {
        return 0;
    }
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    let count: usize = pieces(text).map(|piece| tokenizer.count_ordinary(piece)).sum();
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::{PIECE, pieces, tokens};

    #[test]
    fn tokens_are_those_of_a_real_tokenizer() {
        let counted = ["", "hello world", "fn main() {}", "데이터베이스", "<|endoftext|>"].map(tokens);
        assert_eq!(counted, [0, 2, 4, 4, 7]);
    }

    #[test]
    fn nothing_is_too_long_or_too_dull_to_be_counted() {
        for dull in [" ", "\n", "a", "é", "테", "\u{301}", " \n"] {
            let text = dull.repeat(200_000 / dull.len()) + "!";
            assert!(tokens(&text) > 0, "{dull:?}");
            assert_eq!(pieces(&text).collect::<String>(), text);
            assert!(pieces(&text).all(|piece| piece.len() <= PIECE));
        }
    }
}
