//! How far a note is to be relied on: a number that evidence moves and time wears down.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// From 0.1 to 1, in thousandths, so that the same events give the same number everywhere.
///
/// Evidence moves it by a share of the way that is left, up or down. So it never leaves its range, however much
/// evidence there is, and the tenth confirmation counts for less than the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64", extend("minimum" = 0.1, "maximum" = 1.0))]
pub struct Confidence(u16);

/// What a note has to show for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The checks passed after work to which the note belongs.
    TestsPassed,
    /// That work was merged.
    Merged,
    /// A person said so.
    Approved,
    /// It was in a brief, and the work went well.
    Helped,
    /// The checks failed after work to which the note belongs.
    TestsFailed,
    /// It was in a brief, and the work went wrong.
    Misled,
    /// The code that it was said of is no longer what it was.
    Changed,
    /// Another note says otherwise.
    Contradicted,
    /// A person said that it is not so.
    Rejected,
}

const LEAST: u16 = 100;
const MOST: u16 = 1000;
/// After so many days without evidence, half of what is above the least is gone.
const HALF_LIFE_DAYS: f64 = 180.0;

impl Confidence {
    pub const LEAST: Confidence = Confidence(LEAST);
    pub const MOST: Confidence = Confidence(MOST);

    /// The nearest that there is.
    pub fn nearest(share: f64) -> Confidence {
        let thousandths = (share * f64::from(MOST)).round();
        Confidence(thousandths.clamp(f64::from(LEAST), f64::from(MOST)) as u16)
    }

    pub fn share(self) -> f64 {
        f64::from(self.0) / f64::from(MOST)
    }

    /// What it is once this is known as well.
    #[must_use]
    pub fn after(self, evidence: Evidence) -> Confidence {
        match evidence.weight() {
            Weight::For(percent) => Confidence(self.0 + part(MOST - self.0, percent)),
            Weight::Against(percent) => Confidence(self.0 - part(self.0 - LEAST, percent)),
        }
    }

    /// What is left of it when there was no evidence for so many days.
    #[must_use]
    pub fn aged(self, days: f64) -> Confidence {
        let left = (-days.max(0.0) / HALF_LIFE_DAYS).exp2();
        Confidence(LEAST + (f64::from(self.0 - LEAST) * left).round() as u16)
    }
}

impl Default for Confidence {
    fn default() -> Confidence {
        Confidence(MOST / 2)
    }
}

/// Percent of the way that is left.
enum Weight {
    For(u16),
    Against(u16),
}

impl Evidence {
    /// Whether it makes a note more to be relied on.
    pub fn speaks_for(self) -> bool {
        match self.weight() {
            Weight::For(_) => true,
            Weight::Against(_) => false,
        }
    }

    fn weight(self) -> Weight {
        match self {
            Evidence::TestsPassed => Weight::For(25),
            Evidence::Merged => Weight::For(30),
            Evidence::Approved => Weight::For(50),
            Evidence::Helped => Weight::For(10),
            Evidence::TestsFailed => Weight::Against(25),
            Evidence::Misled => Weight::Against(20),
            Evidence::Changed => Weight::Against(15),
            Evidence::Contradicted => Weight::Against(40),
            Evidence::Rejected => Weight::Against(60),
        }
    }

    /// Whether it shows that the note holds, rather than that somebody thinks so.
    pub fn verifies(self) -> bool {
        match self {
            Evidence::TestsPassed | Evidence::Merged | Evidence::Approved => true,
            Evidence::Helped
            | Evidence::TestsFailed
            | Evidence::Misled
            | Evidence::Changed
            | Evidence::Contradicted
            | Evidence::Rejected => false,
        }
    }

    /// Whether what was verified before no longer is.
    pub fn refutes(self) -> bool {
        matches!(self, Evidence::Changed | Evidence::Contradicted | Evidence::Rejected)
    }
}

/// Rounded up, so that every piece of evidence counts until the end is reached.
fn part(whole: u16, percent: u16) -> u16 {
    (u32::from(whole) * u32::from(percent)).div_ceil(100) as u16
}

impl TryFrom<f64> for Confidence {
    type Error = String;

    fn try_from(share: f64) -> Result<Confidence, String> {
        let nearest = Confidence::nearest(share);
        if (nearest.share() - share).abs() < 0.001 {
            return Ok(nearest);
        }
        Err(format!("a confidence is between 0.1 and 1, not {share}"))
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> f64 {
        confidence.share()
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.share())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Confidence, Evidence, LEAST, MOST};

    const ALL: [Evidence; 9] = [
        Evidence::TestsPassed,
        Evidence::Merged,
        Evidence::Approved,
        Evidence::Helped,
        Evidence::TestsFailed,
        Evidence::Misled,
        Evidence::Changed,
        Evidence::Contradicted,
        Evidence::Rejected,
    ];
    const AGAINST: usize = 4;

    fn any() -> impl Strategy<Value = Confidence> {
        (LEAST..=MOST).prop_map(Confidence)
    }

    proptest! {
        #[test]
        fn no_evidence_and_no_time_leads_out_of_the_range(
            start in any(), steps in prop::collection::vec((0..ALL.len(), 0.0..10_000.0), 0..60),
        ) {
            let mut confidence = start;
            for (which, days) in steps {
                confidence = confidence.after(ALL[which]).aged(days);
                prop_assert!((Confidence::LEAST..=Confidence::MOST).contains(&confidence));
            }
        }

        #[test]
        fn good_evidence_raises_and_bad_lowers_it_until_the_end(start in any(), which in 0..ALL.len()) {
            let after = start.after(ALL[which]);
            if which < AGAINST {
                prop_assert!(after > start || start == Confidence::MOST);
            } else {
                prop_assert!(after < start || start == Confidence::LEAST);
            }
        }

        #[test]
        fn what_was_more_certain_stays_so(a in any(), b in any(), which in 0..ALL.len(), days in 0.0..1000.0) {
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(low.after(ALL[which]) <= high.after(ALL[which]));
            prop_assert!(low.aged(days) <= high.aged(days));
            prop_assert!(high.aged(days) <= high);
        }

        #[test]
        fn it_survives_being_written(confidence in any()) {
            let text = serde_json::to_string(&confidence).unwrap();
            prop_assert_eq!(serde_json::from_str::<Confidence>(&text).unwrap(), confidence);
        }
    }

    #[test]
    fn half_of_it_is_gone_after_half_a_year() {
        assert_eq!(Confidence::nearest(0.9).aged(180.0), Confidence::nearest(0.5));
        assert_eq!(Confidence::default().aged(-3.0), Confidence::default());
    }

    #[test]
    fn what_is_outside_is_refused() {
        for wrong in ["0.05", "1.2", "-1"] {
            assert!(serde_json::from_str::<Confidence>(wrong).is_err(), "{wrong}");
        }
    }
}
