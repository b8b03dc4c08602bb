//! When a limit ends, as the agent said it and as a moment.

use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::times;

/// Nobody waits longer than the longest quota there is, whatever an agent says.
const LONGEST: SignedDuration = SignedDuration::from_hours(31 * 24);

/// Said in one of many ways; only with a clock and a time zone does it become a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reset {
    At(Timestamp),
    After(Duration),
    /// A time of day, the next one unless a day is named.
    Clock {
        day: Option<Day>,
        hour: i8,
        minute: i8,
        zone: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    pub year: Option<i16>,
    pub month: i8,
    pub day: i8,
}

impl Reset {
    /// Finds the time in an agent's own limit message.
    pub fn in_message(message: &str) -> Option<Reset> {
        times::find(message)
    }

    /// Seconds or milliseconds since 1970, told apart by their size.
    pub fn from_epoch(number: f64) -> Option<Reset> {
        let seconds = if number.abs() >= 1e11 { number / 1000.0 } else { number };
        if !seconds.is_finite() {
            return None;
        }
        Timestamp::from_second(seconds as i64).ok().map(Reset::At)
    }

    /// The value of a `retry-after` header: seconds, or a date.
    pub fn from_retry_after(value: &str) -> Option<Reset> {
        if let Ok(seconds) = value.trim().parse::<f64>() {
            return Some(Reset::after_seconds(seconds));
        }
        jiff::fmt::rfc2822::DateTimeParser::new()
            .relaxed_weekday(true)
            .parse_timestamp(value.trim())
            .ok()
            .map(Reset::At)
    }

    pub fn after_seconds(seconds: f64) -> Reset {
        // A negative number or none at all is no wait; a huge one is cut when it is resolved.
        Reset::After(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX))
    }

    /// The moment, never before `now` and never absurdly far. `zone` is where the person's clock hangs.
    pub fn resolve(&self, now: Timestamp, zone: &TimeZone) -> Timestamp {
        let latest = now.checked_add(LONGEST).unwrap_or(Timestamp::MAX);
        self.moment(now, zone).unwrap_or(latest).clamp(now, latest)
    }

    fn moment(&self, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        match self {
            Reset::At(at) => Some(*at),
            Reset::After(wait) => now.checked_add(SignedDuration::try_from(*wait).ok()?).ok(),
            Reset::Clock { day, hour, minute, zone: named } => {
                let named = named.as_deref().and_then(|name| TimeZone::get(name).ok());
                on_the_clock(now, named.as_ref().unwrap_or(zone), *day, *hour, *minute)
            }
        }
    }
}

fn on_the_clock(
    now: Timestamp,
    zone: &TimeZone,
    day: Option<Day>,
    hour: i8,
    minute: i8,
) -> Option<Timestamp> {
    let today = now.to_zoned(zone.clone()).date();
    let at = |date: Date| zone.to_timestamp(date.at(hour, minute, 0, 0)).ok();
    let Some(day) = day else {
        let next = at(today)?;
        return if next > now { Some(next) } else { at(today.checked_add(1.day()).ok()?) };
    };
    let date = Date::new(day.year.unwrap_or(today.year()), day.month, day.day).ok()?;
    // In December "Jan 2" is a day of the next year.
    let turned = day.year.is_none() && today.since(date).is_ok_and(|span| span.get_days() > 180);
    at(if turned { date.checked_add(1.year()).ok()? } else { date })
}

#[cfg(test)]
mod tests {
    use super::Reset;
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    fn check(reset: Option<Reset>, expected: &str) {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().expect("now");
        let berlin = TimeZone::get("Europe/Berlin").expect("zone");
        let moment = reset.as_ref().map(|reset| reset.resolve(now, &berlin).to_string());
        assert_eq!(moment.as_deref(), Some(expected), "{reset:?}");
    }

    #[test]
    fn epochs_are_seconds_or_milliseconds() {
        check(Reset::from_epoch(1_794_760_000.0), "2026-11-15T16:26:40Z");
        check(Reset::from_epoch(1_794_760_000_000.0), "2026-11-15T16:26:40Z");
    }

    #[test]
    fn absurd_values_are_clamped_to_now_or_a_month() {
        let (now, month) = ("2026-11-15T12:00:00Z", "2026-12-16T12:00:00Z");
        check(Reset::from_epoch(0.0), now);
        check(Reset::from_epoch(-5.0), now);
        check(Reset::from_epoch(1e9), now);
        check(Reset::from_epoch(9e10), month);
        check(Reset::from_retry_after("-3"), now);
        check(Reset::from_retry_after("0"), now);
        check(Reset::from_retry_after("1000000000"), month);
        check(Reset::from_retry_after("1e300"), month);
        check(Reset::from_retry_after("NaN"), now);
        assert_eq!(Reset::from_epoch(f64::NAN), None);
        assert_eq!(Reset::from_epoch(1e300), None);
    }

    #[test]
    fn a_retry_after_header_is_seconds_or_a_date() {
        check(Reset::from_retry_after("120"), "2026-11-15T12:02:00Z");
        check(Reset::from_retry_after("Sun, 15 Nov 2026 13:00:00 GMT"), "2026-11-15T13:00:00Z");
        assert_eq!(Reset::from_retry_after("soon"), None);
    }

    #[test]
    fn messages_name_the_time_in_many_ways() {
        let said = |message: &str, expected: &str| check(Reset::in_message(message), expected);
        said("You've hit your session limit · resets 5pm", "2026-11-15T16:00:00Z");
        said("You've hit your limit · resets 9am", "2026-11-16T08:00:00Z");
        said("limit reached ∙ resets 5:30pm (Europe/Berlin)", "2026-11-15T16:30:00Z");
        said("resets at 17:00 (America/New_York)", "2026-11-15T22:00:00Z");
        said("resets 12am (UTC)", "2026-11-16T00:00:00Z");
        said("resets 12pm (UTC)", "2026-11-16T12:00:00Z");
        said("resets Dec 3, 9am", "2026-12-03T08:00:00Z");
        said("resets Dec 3 at 9am (UTC)", "2026-12-03T09:00:00Z");
        said("resets Jan 2, 9am", "2026-12-16T12:00:00Z");
        said("try again at Nov 20th, 2026 9:05 AM.", "2026-11-20T08:05:00Z");
        said("try again at 11:02 PM.", "2026-11-15T22:02:00Z");
        said("Please try again in 1s.", "2026-11-15T12:00:01Z");
        said("try again in 3h 20m", "2026-11-15T15:20:00Z");
        said("try again in 1 day 2 hours 5 minutes.", "2026-11-16T14:05:00Z");
        said("Please retry in 12.5s.", "2026-11-15T12:00:12.5Z");
        said("Your quota will reset after 3h4m5s.", "2026-11-15T15:04:05Z");
        said("Claude AI usage limit reached|1794760000", "2026-11-15T16:26:40Z");
        said("quota resets at 2026-11-15T18:00:00Z", "2026-11-15T18:00:00Z");
        said("resets at 2026-11-15T18:00:00+01:00, sorry", "2026-11-15T17:00:00Z");
        said(r#"{"retryDelay":"34s"}"#, "2026-11-15T12:00:34Z");
        said("retry-after: 90", "2026-11-15T12:01:30Z");
    }

    #[test]
    fn messages_without_a_time_have_none() {
        for message in [
            "",
            "try again later",
            "resets soon",
            "resets 25pm",
            "try again in a bit",
            "|",
            "resets at 99:99",
        ] {
            assert_eq!(Reset::in_message(message), None, "{message}");
        }
    }
}
