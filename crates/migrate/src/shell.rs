//! Words for a person to paste into a shell.

use std::fmt::Write;

/// As a shell takes it, on one line. What cannot be shown is in `$'…'`, which bash, zsh and ksh know.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    if !text.chars().any(is_unseen) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut made = String::from("$'");
    text.chars().for_each(|c| escape(c, &mut made));
    made.push('\'');
    made
}

/// A terminal obeys it or hides it.
fn is_unseen(c: char) -> bool {
    let is_hidden =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_control() || is_hidden
}

fn escape(c: char, made: &mut String) {
    match c {
        '\n' => made.push_str("\\n"),
        '\t' => made.push_str("\\t"),
        '\r' => made.push_str("\\r"),
        '\\' => made.push_str("\\\\"),
        '\'' => made.push_str("\\'"),
        // No argument can have it.
        '\0' => {}
        c if is_unseen(c) => write!(made, "\\u{:04x}", u32::from(c)).expect("a text takes text"),
        c => made.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;
    use std::process::Command;

    #[test]
    fn a_shell_gives_back_what_was_quoted_and_it_is_on_one_line() {
        for text in [
            "plain",
            "",
            "it's \"so\" $HOME `ls` \\n !x",
            "Fix it.\n\nThen it's docs:\t\\n and \\\\ $HOME `ls` \"!x\"\r\n",
            "\u{1b}[31mred\u{7}\u{85}\u{202e}\u{200b}ü 🙂 01",
            "\n",
        ] {
            let quoted = quoted(text);
            assert!(!quoted.chars().any(char::is_control), "{quoted}");
            let mut shell = Command::new("bash");
            let out =
                shell.args(["-c", &format!("printf %s {quoted}")]).env("LC_ALL", "C.UTF-8").output().unwrap();
            assert_eq!(String::from_utf8_lossy(&out.stdout), text, "{quoted}");
        }
    }
}
