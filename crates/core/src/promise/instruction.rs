//! The sentence of a brief that asks for the promise.

use super::Word;

/// How a brief asks for the promise. It names the word and the tag apart and never writes the closing tag,
/// so that its echo, after whatever text, cannot complete.
pub fn instruction(expected: &Word) -> String {
    format!(
        "When everything asked for is done and checked, and only then, end your final message with a line that holds \
         nothing but this: the opening tag `<promise>`, then the word {expected} exactly as written here, then the \
         matching closing tag. Use no quotes, no code formatting and no other text on that line. While anything is \
         unfinished, leave the tag out."
    )
}
