//! Whole numbers from 1 up to a bound.

use std::num::{NonZeroU32, NonZeroU64};

use super::{Refused, UNLIMITED, digits, unreadable, wishes_no_limit};
use crate::settings::limits;
use crate::settings::raw::Raw;

pub(crate) fn count(raw: &Raw, most: u64) -> Result<NonZeroU64, Refused> {
    let rule = format!("a whole number from 1 to {}", grouped(most));
    let text = match raw {
        Raw::Given(text) | Raw::Number(text) => text,
        Raw::Text(text) if digits(text).is_some() => {
            return Err(Refused::new(
                "expected a number, found a string",
                format!("write {text} without the quotes"),
            ));
        }
        Raw::Text(text) if wishes_no_limit(text) => text,
        Raw::Text(_) | Raw::Bool(_) | Raw::Date | Raw::List(_) | Raw::Table => {
            return Err(Refused::kind(raw, &rule));
        }
    };
    parse(text, most, &rule)
        .map_err(|refused| if wishes_no_limit(text) { refused.hint(UNLIMITED) } else { refused })
}

pub(crate) fn count_u32(raw: &Raw, most: u32) -> Result<NonZeroU32, Refused> {
    let count = count(raw, most.into())?;
    Ok(NonZeroU32::try_from(count).expect("the bound is a u32"))
}

/// How often something is tried again; not at all has a word of its own.
pub(crate) fn max_retries(raw: &Raw) -> Result<NonZeroU32, Refused> {
    match raw {
        Raw::Given(text) | Raw::Number(text) if text == "0" => {
            Err(Refused::new("0 tries again never", "write on_error = \"skip\" or \"abort\" instead"))
        }
        other => count_u32(other, limits::MOST_FAILURES),
    }
}

fn parse(text: &str, most: u64, rule: &str) -> Result<NonZeroU64, Refused> {
    let digits = digits(text).ok_or_else(|| unreadable(text, rule))?;
    let number = digits.parse::<u64>().ok().filter(|number| *number <= most);
    let Some(number) = number else {
        return Err(Refused::new(
            format!("{text} is more than {}, the most there may be", grouped(most)),
            format!("write {rule}"),
        ));
    };
    NonZeroU64::new(number)
        .ok_or_else(|| Refused::new("0 is refused: it is not a limit", format!("write {rule}")))
}

/// `1_000_000`, which TOML and the flags read as well.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}
