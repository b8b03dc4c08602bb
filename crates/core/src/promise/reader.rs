//! Reads a message line by line and brings every tag before the verdict.

use super::blocks::{Block, Blocks, Role};
use super::echo::Echo;
use super::emphasis::ends_line;
use super::html;
use super::lines::Line;
use super::marks::Marks;
use super::objection::objection;
use super::open_tag::OpenTag;
use super::sentence::Sentence;
use super::tag::{Part, closing, next_part, starts_with, whole_tags};
use super::verdict::{Candidate, Verdict};
use super::{Claim, Refusal, Word};

#[derive(Debug)]
pub(super) struct Reader {
    expected: Word,
    echo: Echo,
    blocks: Blocks,
    marks: Marks,
    sentence: Sentence,
    /// Inside HTML that is not said, up to this.
    hidden_until: Option<&'static str>,
    tag: Option<OpenTag>,
    after_heading: bool,
    /// The last line that gave another word.
    other_word_at: Option<u64>,
    previous_line: String,
    verdict: Verdict,
}

impl Reader {
    pub(super) fn new(expected: &Word, brief: &str) -> Reader {
        Reader {
            expected: expected.clone(),
            echo: Echo::of(brief),
            blocks: Blocks::default(),
            marks: Marks::default(),
            sentence: Sentence::default(),
            hidden_until: None,
            tag: None,
            after_heading: false,
            other_word_at: None,
            previous_line: String::new(),
            verdict: Verdict::default(),
        }
    }

    pub(super) fn read(&mut self, line: Line<'_>) {
        if self.verdict.is_settled() {
            return;
        }
        let block = match self.hidden_until {
            Some(_) => Block::Text { content: line.text, role: Role::Flow },
            None => self.blocks.read(line),
        };
        self.verdict.follow(line, block, &self.echo);
        match block {
            Block::Blank => self.end_paragraph(),
            Block::Rule => self.leave_prose(),
            Block::Fenced => self.show(line, &Refusal::CodeFence),
            Block::Indented => self.show(line, &Refusal::IndentedCode),
            Block::Quote => self.show(line, &Refusal::BlockQuote),
            Block::Text { content, role } => self.read_prose(line, content, role),
        }
        if !line.text.trim().is_empty() {
            self.previous_line.clear();
            self.previous_line.push_str(line.text.trim());
        }
    }

    /// Whether the promise was given, so that nothing later can matter.
    pub(super) fn is_settled(&self) -> bool {
        self.verdict.is_settled()
    }

    pub(super) fn finish(mut self) -> Claim {
        self.abandon_tag();
        self.verdict.claim()
    }

    /// A line whose text is shown, not said.
    fn show(&mut self, line: Line<'_>, why: &Refusal) {
        self.leave_prose();
        for given in whole_tags(line.text) {
            self.refuse(line.number, given, why.clone());
        }
    }

    fn leave_prose(&mut self) {
        self.abandon_tag();
        self.marks.end_paragraph();
        self.sentence.clear();
        self.after_heading = false;
    }

    fn end_paragraph(&mut self) {
        if let Some(tag) = &mut self.tag {
            tag.meet_blank_line();
            if !tag.content.is_empty() && !self.expected.is_given_by(&tag.content) {
                self.abandon_tag();
            }
        }
        if self.tag.is_none() {
            self.marks.end_paragraph();
            if !self.after_heading {
                self.sentence.end_paragraph();
            }
        }
    }

    fn read_prose(&mut self, line: Line<'_>, content: &str, role: Role) {
        if self.tag.as_ref().is_some_and(|tag| !tag.goes_on_in(content, role)) {
            self.abandon_tag();
            self.end_paragraph();
        }
        if self.tag.is_none() {
            self.begin_line(content, role);
        }
        let mut at = 0;
        while at < content.len() {
            at = if let Some(closer) = self.hidden_until {
                self.read_hidden(line, content, at, closer)
            } else if self.tag.is_some() {
                self.read_tag(line, content, at)
            } else {
                self.read_text(line, content, at)
            };
        }
        self.end_line(line, content);
    }

    /// A list item or heading begins a sentence; a heading's own goes on only into a tag right below it.
    fn begin_line(&mut self, content: &str, role: Role) {
        let tag_first = starts_with(content.trim_start_matches(['*', '_', ' ']), "<promise>");
        match role {
            Role::Item | Role::Heading => {
                self.marks.end_paragraph();
                self.sentence.end_paragraph();
            }
            Role::Flow if self.after_heading && !tag_first => self.sentence.clear(),
            Role::Flow => {}
        }
        self.after_heading = role == Role::Heading;
        self.hidden_until = self.hidden_until.or_else(|| html::shown_until(content));
    }

    fn end_line(&mut self, line: Line<'_>, content: &str) {
        match &mut self.tag {
            Some(tag) => tag.end_line(line, content, &self.previous_line),
            None => {
                self.sentence.advance(" ");
                self.marks.pass('\n');
            }
        }
    }

    /// Reads text up to the next part of a tag, and that part. Returns where to go on, as its siblings do.
    fn read_text(&mut self, line: Line<'_>, content: &str, at: usize) -> usize {
        let Some(found) = next_part(content, at) else {
            self.say(&content[at..], '\n');
            return content.len();
        };
        self.say(&content[at..found.start], '<');
        if self.marks.in_code() {
            return match closing(content, found)
                .filter(|close| !content[found.end..close.start].contains('`'))
            {
                Some(close) => {
                    self.refuse(line.number, &content[found.end..close.start], Refusal::InlineCode);
                    self.pass_tag(close.end)
                }
                None => self.pass_tag(found.end),
            };
        }
        match found.part {
            Part::Open if content[..found.start].ends_with('\\') => {
                self.verdict.refuse(line.number, Refusal::Malformed);
            }
            Part::Open => self.tag = Some(OpenTag::at(line.number, found.start)),
            Part::BrokenOpen => self.verdict.refuse(line.number, Refusal::Malformed),
            Part::CommentOpen => self.hidden_until = Some(html::COMMENT_END),
            Part::Close => {}
        }
        self.pass_tag(found.end)
    }

    fn read_hidden(&mut self, line: Line<'_>, content: &str, at: usize, closer: &'static str) -> usize {
        let rest = &content[at..];
        let end = html::end_of_hidden(rest, closer);
        if end.is_some() {
            self.hidden_until = None;
        }
        let end = end.unwrap_or(rest.len());
        for given in whole_tags(&rest[..end]) {
            self.refuse(line.number, given, Refusal::Html);
        }
        self.pass_tag(at + end)
    }

    fn read_tag(&mut self, line: Line<'_>, content: &str, at: usize) -> usize {
        let Some(tag) = &mut self.tag else { return at };
        let Some(found) = next_part(content, at) else {
            tag.hold(&content[at..]);
            return content.len();
        };
        tag.hold(&content[at..found.start]);
        match found.part {
            Part::Open | Part::BrokenOpen => {
                tag.nested = true;
                tag.depth += 1;
            }
            Part::CommentOpen => tag.hold("<!--"),
            Part::Close => tag.depth -= 1,
        }
        if tag.depth == 0 {
            self.close_tag(line, content, found.end);
        }
        found.end
    }

    fn close_tag(&mut self, line: Line<'_>, content: &str, end: usize) {
        let Some(tag) = self.tag.take() else { return };
        match self.reason_against(&tag, line, content, end) {
            Some(why) => self.note_refusal(tag.line, why),
            None => self.verdict.consider(Candidate {
                line: tag.line,
                tag_line: tag.tag_line(line).into_owned(),
                continuation: None,
            }),
        }
        self.marks.pass('>');
    }

    /// The costly reasons come last: only the last tag of a line gets that far, which keeps the time linear.
    fn reason_against(&self, tag: &OpenTag, line: Line<'_>, content: &str, end: usize) -> Option<Refusal> {
        if tag.nested {
            Some(Refusal::Nested)
        } else if tag.content.is_empty() {
            Some(Refusal::EmptyWord)
        } else if !self.expected.is_given_by(&tag.content) {
            Some(Refusal::wrong_word(&tag.content))
        } else if self.marks.in_quote() {
            Some(Refusal::Quoted)
        } else if !ends_line(tag.before(content), &content[end..]) {
            Some(Refusal::NotAtLineEnd)
        } else if self.other_word_at == Some(tag.line) {
            Some(Refusal::Ambiguous)
        } else if self.echo.comes_after(&tag.tag_line(line), tag.line_before(&self.previous_line)) {
            Some(Refusal::Echo)
        } else {
            objection(self.sentence.text())
        }
    }

    fn abandon_tag(&mut self) {
        if let Some(tag) = self.tag.take() {
            self.verdict.refuse(tag.line, if tag.nested { Refusal::Nested } else { Refusal::Unclosed });
        }
    }

    /// Refuses a tag for its place, or for its word if that is wrong already.
    fn refuse(&mut self, line: u64, given: &str, place: Refusal) {
        let given = given.trim_matches(|c: char| c.is_ascii_whitespace());
        let why = if given.is_empty() {
            Refusal::EmptyWord
        } else if self.expected.is_given_by(given) {
            place
        } else {
            Refusal::wrong_word(given)
        };
        self.note_refusal(line, why);
    }

    fn note_refusal(&mut self, line: u64, why: Refusal) {
        if matches!(why, Refusal::WrongWord { .. }) {
            self.other_word_at = Some(line);
        }
        self.verdict.refuse(line, why);
    }

    fn say(&mut self, text: &str, next: char) {
        self.marks.advance(text, next);
        self.sentence.advance(text);
    }

    fn pass_tag(&mut self, end: usize) -> usize {
        self.marks.pass('>');
        end
    }

    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.previous_line.capacity()
            + self.sentence.text().len()
            + self.tag.as_ref().map_or(0, OpenTag::held_bytes)
            + self.verdict.held_bytes()
    }
}
