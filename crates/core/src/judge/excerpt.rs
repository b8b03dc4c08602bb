//! As much of an output as fits: its beginning and its end.

/// At most `budget` bytes of it and one line that says what is left out. The end says how it came out, so it gets two
/// thirds.
pub fn excerpt(output: &[u8], budget: usize) -> String {
    if output.len() <= budget {
        return String::from_utf8_lossy(output).into_owned();
    }
    let head = whole_lines(&output[..budget / 3]);
    let tail = from_a_line(&output[output.len() - (budget - budget / 3)..]);
    let left_out = output.len() - head.len() - tail.len();
    let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
    format!("{}\n[... {left_out} bytes are left out here ...]\n{tail}", head.trim_end_matches('\n'))
}

/// Up to the last end of a line, unless that would cost half of it.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if end > bytes.len() / 2 { &bytes[..end] } else { bytes }
}

fn from_a_line(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
    if start < bytes.len() / 2 { &bytes[start..] } else { bytes }
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn what_fits_is_whole() {
        assert_eq!(excerpt(b"one\ntwo\n", 8), "one\ntwo\n");
        assert_eq!(excerpt(b"", 0), "");
    }

    #[test]
    fn the_beginning_and_the_end_are_kept_in_whole_lines() {
        let output: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let text = excerpt(output.as_bytes(), 300);
        assert!(text.starts_with("line 0\nline 1\n") && text.ends_with("line 9998\nline 9999\n"), "{text}");
        assert!(text.len() < 400, "{}", text.len());
        let (head, rest) = text.split_once("\n[... ").unwrap();
        let (count, tail) = rest.split_once(" bytes are left out here ...]\n").unwrap();
        assert_eq!(count.parse::<usize>().unwrap() + head.len() + 1 + tail.len(), output.len());
    }

    #[test]
    fn one_endless_line_and_bytes_that_are_no_text_are_cut_all_the_same() {
        let text = excerpt(&[0xff; 10_000], 30);
        assert!(text.chars().count() < 100 && text.contains("bytes are left out"), "{text}");
        assert!(excerpt("ä".repeat(1_000).as_bytes(), 99).starts_with('ä'));
    }
}
