//! Secrets never reach a disk, a screen or a socket: known key shapes and the values of secret-looking environment
//! variables are replaced by `[redacted:<kind>]`.
//!
//! Nothing here reads the environment or a file; the values come in through [`Redactor::new`]. One pass over the
//! first bytes of everything that is to be hidden decides whether anything else has to look at the text at all. Encoded
//! text has first bytes too: where they stand, a `view::View` of the text without its encoding is looked at as well.

mod beginnings;
mod encoded;
mod environment;
mod escapes;
mod folded;
mod forms;
mod pem;
mod scan;
mod shapes;
mod stream;
mod view;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::sync::Arc;

pub use stream::RedactStream;

use scan::Scanner;

/// What is to be hidden. Cheap to clone; every output stream takes its own [`RedactStream`] from it.
#[derive(Debug, Clone)]
pub struct Redactor {
    scanner: Arc<Scanner>,
}

impl Redactor {
    /// Hides the known key shapes and the values of those variables of `environment` whose name says secret.
    pub fn new(environment: impl IntoIterator<Item = (String, String)>) -> Redactor {
        let replacements = LazyCell::new(scan::replacements);
        let mut literals = environment::secrets(environment)
            .iter()
            .flat_map(|secret| forms::of(secret))
            .filter(|form| !scan::stands_in_one(&replacements, form))
            .collect::<Vec<_>>();
        literals.sort_unstable();
        literals.dedup();
        Redactor { scanner: Arc::new(Scanner::new(&literals)) }
    }

    /// The whole of `text` with its secrets hidden; borrowed when there were none.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Vec::with_capacity(text.len());
        let mut stream = self.stream();
        stream.push(text.as_bytes(), &mut out);
        stream.finish(&mut out);
        if out == text.as_bytes() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(match String::from_utf8(out) {
            Ok(redacted) => redacted,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    /// For bytes that come in chunks, cut anywhere.
    pub fn stream(&self) -> RedactStream {
        RedactStream::new(Arc::clone(&self.scanner))
    }
}
