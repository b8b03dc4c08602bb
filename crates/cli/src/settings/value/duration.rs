//! Durations: `"30m"`, `"1h30m"`, `"500ms"`.

use std::time::Duration;

use super::{Refused, UNLIMITED, digits, unreadable, wishes_no_limit};
use crate::settings::raw::Raw;

const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// A time limit: never zero.
pub(crate) fn limit(raw: &Raw, most: Duration) -> Result<Duration, Refused> {
    let text = written(raw, most)?;
    let refused = |refused: Refused| if wishes_no_limit(text) { refused.hint(UNLIMITED) } else { refused };
    positive(text, most).map_err(refused)
}

/// A deadline of something smaller than the run: never zero, and `--unlimited` is no way around it.
pub(crate) fn deadline(raw: &Raw, most: Duration) -> Result<Duration, Refused> {
    positive(written(raw, most)?, most)
}

/// A pause, where zero means none; as text also a number of seconds.
pub(crate) fn delay(raw: &Raw, most: Duration) -> Result<Duration, Refused> {
    let zero = matches!(raw, Raw::Number(text) if text == "0");
    let text = if zero { "0" } else { written(raw, most)? };
    let seconds = if zero || matches!(raw, Raw::Given(_)) { seconds(text) } else { None };
    match seconds {
        Some(delay) => at_most(text, delay, most),
        None => parse(text, most),
    }
}

fn written(raw: &Raw, most: Duration) -> Result<&str, Refused> {
    match raw {
        Raw::Given(text) | Raw::Text(text) => Ok(text),
        Raw::Number(text) if digits(text).is_some_and(|d| d != "0") => {
            let hint = format!("write \"{text}s\" for seconds, \"{text}m\" for minutes");
            Err(Refused::new(format!("{text} has no unit"), hint))
        }
        Raw::Number(text) if wishes_no_limit(text) => Ok(text),
        Raw::Number(_) | Raw::Bool(_) | Raw::Date | Raw::List(_) | Raw::Table => {
            Err(Refused::kind(raw, &rule(most)))
        }
    }
}

fn positive(text: &str, most: Duration) -> Result<Duration, Refused> {
    let duration = if text == "0" { Duration::ZERO } else { parse(text, most)? };
    if duration.is_zero() {
        return Err(Refused::new(
            format!("{text} is refused: it is not a limit"),
            format!("write {}", rule(most)),
        ));
    }
    Ok(duration)
}

fn parse(text: &str, most: Duration) -> Result<Duration, Refused> {
    let millis = match milliseconds(text) {
        Some(millis) => millis,
        None if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() => {
            let hint = format!("write {text}s for seconds, {text}m for minutes");
            return Err(Refused::new(format!("{text} has no unit"), hint));
        }
        None => return Err(unreadable(text, &rule(most))),
    };
    at_most(text, Duration::from_millis(millis), most)
}

fn at_most(text: &str, duration: Duration, most: Duration) -> Result<Duration, Refused> {
    if duration > most {
        let what = format!("{text} is longer than {}, the most there may be", written_out(most));
        return Err(Refused::new(what, format!("write {}", rule(most))));
    }
    Ok(duration)
}

/// Numbers with units, each unit at most once and the larger first; too large a sum saturates.
fn milliseconds(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut units = UNITS.iter();
    let mut sum = 0u64;
    while !rest.is_empty() {
        let number_end = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at(number_end);
        let unit_end = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let (_, factor) = units.find(|(name, _)| *name == unit)?;
        let number = if number.is_empty() { return None } else { number.parse::<u64>().unwrap_or(u64::MAX) };
        sum = sum.saturating_add(number.saturating_mul(*factor));
        rest = tail;
    }
    (!text.is_empty()).then_some(sum)
}

/// `5` or `0.5`, down to the millisecond.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let legal = (1..=3).contains(&fraction.len()) && fraction.bytes().all(|b| b.is_ascii_digit());
    let whole = digits(whole).filter(|_| legal)?.parse::<u64>().unwrap_or(u64::MAX / 1000 - 1);
    let millis = format!("{fraction:0<3}").parse::<u64>().ok()?;
    Some(Duration::from_millis(whole.saturating_mul(1000).saturating_add(millis)))
}

fn rule(most: Duration) -> String {
    format!("a duration such as \"30m\", \"1h30m\", \"90s\" or \"500ms\", at most {}", written_out(most))
}

/// The shortest spelling that reads back as the same duration.
pub(crate) fn written_out(duration: Duration) -> String {
    let mut rest = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    if rest == 0 {
        return "0s".to_owned();
    }
    let mut text = String::new();
    for (unit, factor) in UNITS {
        if rest >= factor {
            text += &format!("{}{unit}", rest / factor);
            rest %= factor;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{delay, limit, written_out};
    use crate::settings::raw::Raw;
    use std::time::Duration;

    const MONTH: Duration = Duration::from_secs(30 * 86_400);

    #[test]
    fn durations_read_back_as_they_are_written() {
        for (text, millis) in [
            ("30m", 1_800_000),
            ("1h30m", 5_400_000),
            ("500ms", 500),
            ("1m30s", 90_000),
            ("1d2h3m4s5ms", 93_784_005),
        ] {
            let duration = limit(&Raw::Text(text.to_owned()), MONTH).unwrap();
            assert_eq!((duration, written_out(duration).as_str()), (Duration::from_millis(millis), text));
        }
    }

    #[test]
    fn a_delay_on_the_command_line_may_be_seconds() {
        let given = |text: &str| delay(&Raw::Given(text.to_owned()), MONTH).ok();
        assert_eq!(given("0"), Some(Duration::ZERO));
        assert_eq!(given("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(given("2"), Some(Duration::from_secs(2)));
        assert_eq!(given("2s"), Some(Duration::from_secs(2)));
        for wrong in ["", "-1", "0.", ".5", "1e3", "0.0001", "99999999999999999999", "inf", " 1", "1.5s"] {
            assert_eq!(given(wrong), None, "{wrong:?}");
        }
        assert!(delay(&Raw::Text("2".to_owned()), MONTH).is_err(), "a file names the unit");
        assert!(delay(&Raw::Number("0".to_owned()), MONTH).is_ok());
    }
}
