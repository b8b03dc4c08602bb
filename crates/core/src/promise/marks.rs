//! Whether a place in a paragraph is inside inline code or quotation marks.

#[derive(Debug)]
pub(super) struct Marks {
    /// The length of the backtick run that opened inline code.
    code: Option<usize>,
    quote: Option<Quote>,
    previous: char,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Quote {
    closers: &'static [char],
    /// A mark that can only open stays open over blank lines; a straight one may be an inch or an elision.
    outlives_paragraph: bool,
}

impl Default for Marks {
    fn default() -> Self {
        Marks { code: None, quote: None, previous: '\n' }
    }
}

impl Marks {
    pub(super) fn in_code(&self) -> bool {
        self.code.is_some()
    }

    pub(super) fn in_quote(&self) -> bool {
        self.quote.is_some()
    }

    /// Reads on. `next` is what follows the text: a line end or a tag, never a backtick.
    pub(super) fn advance(&mut self, text: &str, next: char) {
        // Most of what agents print has no mark in it, and there is a lot of it.
        if text.is_ascii() && memchr::memchr3(b'`', b'"', b'\'', text.as_bytes()).is_none() {
            self.previous = text.chars().next_back().unwrap_or(self.previous);
            return;
        }
        let mut chars = text.chars().peekable();
        let mut run = 0;
        while let Some(c) = chars.next() {
            let next = chars.peek().copied().unwrap_or(next);
            if c == '`' {
                run += 1;
                if next != '`' {
                    self.end_run(run);
                    run = 0;
                }
            } else if self.code.is_none() {
                self.read_quote(c, next);
            }
            self.previous = c;
        }
    }

    /// A tag or the line end was passed over.
    pub(super) fn pass(&mut self, last: char) {
        self.previous = last;
    }

    pub(super) fn end_paragraph(&mut self) {
        self.code = None;
        self.quote = self.quote.filter(|q| q.outlives_paragraph);
        self.previous = '\n';
    }

    /// A run that is never closed is taken for code up to the paragraph's end: what closes it may still come.
    fn end_run(&mut self, run: usize) {
        match self.code {
            None => self.code = Some(run),
            Some(opened) if opened == run => self.code = None,
            Some(_) => {}
        }
    }

    fn read_quote(&mut self, c: char, next: char) {
        match self.quote {
            Some(quote) if quote.closers.contains(&c) && !is_apostrophe(c, self.previous, next) => {
                self.quote = None;
            }
            Some(_) => {}
            None => self.quote = opened_by(c, self.previous, next),
        }
    }
}

fn is_apostrophe(c: char, previous: char, next: char) -> bool {
    matches!(c, '\'' | '’') && (next.is_alphanumeric() || previous.is_whitespace())
}

fn opened_by(c: char, previous: char, next: char) -> Option<Quote> {
    let (closers, directional): (&'static [char], bool) = match c {
        '"' => (&['"'], false),
        '\'' => (&['\''], false),
        '“' => (&['”'], true),
        '„' => (&['“', '”'], true),
        '‘' => (&['’'], true),
        '‚' => (&['‘', '’'], true),
        '«' => (&['»'], true),
        '‹' => (&['›'], true),
        '»' => (&['«'], false),
        '「' => (&['」'], true),
        '『' => (&['』'], true),
        _ => return None,
    };
    let dangling = next == '\n';
    // Straight marks have no direction: after a letter or digit they are an apostrophe or an inch, before a
    // space a stray one.
    let opens =
        directional || (!previous.is_alphanumeric() && (dangling || c == '"' || !next.is_whitespace()));
    opens.then_some(Quote { closers, outlives_paragraph: directional || dangling })
}

#[cfg(test)]
mod tests {
    use super::Marks;

    fn check(text: &str, in_code: bool, in_quote: bool) {
        let mut marks = Marks::default();
        marks.advance(text, '<');
        assert_eq!((marks.in_code(), marks.in_quote()), (in_code, in_quote), "{text}");
    }

    #[test]
    fn quotation_marks_open_and_close_and_apostrophes_do_neither() {
        check("he said \"", false, true);
        check("he said \"yes\" ", false, false);
        check("I don't, the agents' won’t ", false, false);
        check("print 'it", false, true);
        check("print 'it', isn't it ", false, false);
        check("„so“ und »so« und «so» ", false, false);
        check("„so ", false, true);
        check("‘don’t ", false, true);
        check("a 5\" disk ", false, false);
    }

    #[test]
    fn a_code_span_closes_only_with_a_run_of_its_own_length() {
        check("`a` ", false, false);
        check("``a` ", true, false);
        check("``a`b`` ", false, false);
        check("`it's \"` ", false, false);
    }

    #[test]
    fn a_paragraph_ends_code_and_straight_quotes_only() {
        for (text, open) in [("say \"x", false), ("say “x", true), ("say „x", true), ("say:\n\"", true)] {
            let mut marks = Marks::default();
            marks.advance(text, '\n');
            marks.end_paragraph();
            assert_eq!(marks.in_quote(), open, "{text}");
        }
    }
}
