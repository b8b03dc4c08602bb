//! Sizes: `"32MiB"`.

use super::{Refused, digits, unreadable};
use crate::settings::raw::Raw;

const UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
const MOST: u64 = 1 << 30;

pub(crate) fn size(raw: &Raw) -> Result<u64, Refused> {
    size_up_to(raw, MOST)
}

pub(crate) fn size_up_to(raw: &Raw, most: u64) -> Result<u64, Refused> {
    let at_most = written_out(most);
    let rule = format!("a size such as \"512KiB\" or \"32MiB\", at most {at_most}");
    let text = match raw {
        Raw::Given(text) | Raw::Text(text) => text,
        Raw::Number(_) | Raw::Bool(_) | Raw::Date | Raw::List(_) | Raw::Table => {
            return Err(Refused::kind(raw, &rule));
        }
    };
    let bytes = bytes(text).ok_or_else(|| unreadable(text, &rule))?;
    if bytes == 0 || bytes > most {
        let more = format!("it is more than {at_most}");
        let what = if bytes == 0 { "nothing would be kept" } else { &more };
        return Err(Refused::new(format!("{text} is refused: {what}"), format!("write {rule}")));
    }
    Ok(bytes)
}

fn bytes(text: &str) -> Option<u64> {
    let (number, factor) =
        UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    Some(digits(number)?.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(*factor))
}

pub(crate) fn written_out(bytes: u64) -> String {
    let (unit, factor) = UNITS.iter().find(|(_, factor)| bytes.is_multiple_of(*factor)).unwrap_or(&("B", 1));
    format!("{}{unit}", bytes / factor)
}

#[cfg(test)]
mod tests {
    use super::{size, written_out};
    use crate::settings::raw::Raw;

    #[test]
    fn sizes_read_back_as_they_are_written() {
        for text in ["1B", "512KiB", "32MiB", "1GiB", "1000B"] {
            assert_eq!(written_out(size(&Raw::Text(text.to_owned())).unwrap()), text);
        }
        for wrong in
            ["", "32", "32MB", "32 MiB", "0MiB", "-1B", "2GiB", "1e3B", "99999999999999999999GiB", "MiB"]
        {
            assert!(size(&Raw::Text(wrong.to_owned())).is_err(), "{wrong:?}");
        }
    }
}
