//! A line of a table of words.

/// `999994 300`: how many words follow, and of how many dimensions.
pub(super) fn header(line: &[u8]) -> Option<(u64, usize)> {
    let text = std::str::from_utf8(line).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let header = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    fields.next().is_none().then_some(header)
}

/// Its word and its numbers, of which there must be so many where that is known. A word of several parts is none that is
/// looked up, and one that is no text neither.
pub(super) fn entry<'a>(
    line: &'a [u8],
    dimensions: Option<usize>,
    numbers: &mut Vec<f32>,
) -> Result<Option<&'a str>, String> {
    let fields: Vec<&[u8]> =
        line.split(|byte| matches!(byte, b' ' | b'\t' | b'\r')).filter(|field| !field.is_empty()).collect();
    let wanted = dimensions.unwrap_or(fields.len().saturating_sub(1));
    if fields.len() <= wanted || wanted == 0 {
        let found = fields.len().saturating_sub(1);
        return Err(match dimensions {
            Some(wanted) => format!("there are {found} numbers, and {wanted} in the lines before"),
            None => "there is no number".to_owned(),
        });
    }
    let (word, rest) = fields.split_at(fields.len() - wanted);
    numbers.clear();
    for field in rest {
        let number = std::str::from_utf8(field).ok().and_then(|text| text.parse::<f32>().ok());
        match number.filter(|number| number.is_finite()) {
            Some(number) => numbers.push(number),
            None => return Err(format!("`{}` is no number", shown(field))),
        }
    }
    match word {
        [word] => Ok(std::str::from_utf8(word).ok()),
        _ => Ok(None),
    }
}

fn shown(field: &[u8]) -> String {
    String::from_utf8_lossy(field).chars().filter(|c| !c.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::{entry, header};

    #[test]
    fn a_header_is_two_whole_numbers() {
        assert_eq!(header(b"999994 300"), Some((999_994, 300)));
        for other in [&b"the 0.1 0.2"[..], b"12", b"1 2 3", b"1 0.5", b""] {
            assert_eq!(header(other), None);
        }
    }

    #[test]
    fn a_line_is_a_word_and_its_numbers() {
        let mut numbers = Vec::new();
        assert_eq!(entry(b"cache 0.5 -1e-3 ", None, &mut numbers), Ok(Some("cache")));
        assert_eq!(numbers, [0.5, -0.001]);
        assert_eq!(entry(b". . . 1 2", Some(2), &mut numbers), Ok(None));
        assert_eq!(entry(b"caf\xff 1 2", Some(2), &mut numbers), Ok(None));
        for (line, why) in [
            (&b"cache 1"[..], "there are 1 numbers, and 2 in the lines before"),
            (b"cache 1 x", "`x` is no number"),
            (b"cache 1 NaN", "`NaN` is no number"),
            (b"", "there are 0 numbers, and 2 in the lines before"),
        ] {
            assert_eq!(entry(line, Some(2), &mut numbers), Err(why.to_owned()));
        }
        assert_eq!(entry(b"cache", None, &mut numbers), Err("there is no number".to_owned()));
    }
}
