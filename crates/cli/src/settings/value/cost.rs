//! Amounts of US dollars, exact to the millionth.

use ralph_core::policy::Cost;

use super::{Refused, UNLIMITED, digits, unreadable, wishes_no_limit};
use crate::settings::raw::Raw;

const MICRO: u64 = 1_000_000;
/// In dollars.
pub(crate) const MOST: u64 = 1_000_000;
const RULE: &str = "an amount of dollars such as 5 or 12.50, at most 1_000_000 and with at most six decimals";

pub(crate) fn cost(raw: &Raw) -> Result<Cost, Refused> {
    let text = match raw {
        Raw::Given(text) | Raw::Text(text) | Raw::Number(text) => text,
        Raw::Bool(_) | Raw::Date | Raw::List(_) | Raw::Table => return Err(Refused::kind(raw, RULE)),
    };
    let dollars = text.strip_prefix('$').unwrap_or(text);
    parse(dollars).map_err(|r| if wishes_no_limit(dollars) { r.hint(UNLIMITED) } else { r })
}

fn parse(text: &str) -> Result<Cost, Refused> {
    let micro = micro_dollars(text).ok_or_else(|| unreadable(text, RULE))?;
    match micro {
        0 => Err(Refused::new(format!("{text} is refused: it is not a limit"), format!("write {RULE}"))),
        micro if micro > MOST * MICRO => {
            let what = format!("{text} is more than 1_000_000 dollars, the most there may be");
            Err(Refused::new(what, format!("write {RULE}")))
        }
        micro => Ok(Cost(micro)),
    }
}

/// Too large an amount saturates.
fn micro_dollars(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !(1..=6).contains(&fraction.len()) || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let whole = digits(whole)?.parse::<u64>().unwrap_or(u64::MAX);
    let fraction: u64 = format!("{fraction:0<6}").parse().ok()?;
    Some(whole.saturating_mul(MICRO).saturating_add(fraction))
}

/// All the decimals there are, and at least two.
pub(crate) fn written_out(cost: Cost) -> String {
    let fraction = format!("{:06}", cost.0 % MICRO);
    let kept = fraction.trim_end_matches('0').len().max(2);
    format!("{}.{}", cost.0 / MICRO, &fraction[..kept])
}

#[cfg(test)]
mod tests {
    use super::{cost, written_out};
    use crate::settings::raw::Raw;
    use ralph_core::policy::Cost;

    #[test]
    fn amounts_are_exact() {
        for (text, micro, back) in [
            ("5", 5_000_000, "5.00"),
            ("$5", 5_000_000, "5.00"),
            ("0.1", 100_000, "0.10"),
            ("12.345678", 12_345_678, "12.345678"),
            ("0.000001", 1, "0.000001"),
            ("1_000", 1_000_000_000, "1000.00"),
        ] {
            let read = cost(&Raw::Given(text.to_owned())).unwrap();
            assert_eq!((read, written_out(read).as_str()), (Cost(micro), back), "{text}");
        }
        for wrong in
            ["", "$", "5.", ".5", "5€", "1e3", "0.0000001", "-5", "+5", "0", "0.00", "$$5", "5 ", "1000001"]
        {
            assert!(cost(&Raw::Given(wrong.to_owned())).is_err(), "{wrong:?}");
        }
    }
}
