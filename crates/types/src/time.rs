//! Points in time as they are stored and shown: `2026-12-01T04:05:06.789Z`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::printable;

/// A point in time, UTC, in whole milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("format" = "date-time"))]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest and latest millisecond that has a four-digit year.
    const RANGE: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_207_200_000;

    /// Makes a timestamp from milliseconds since 1970-01-01T00:00:00Z. Values outside the years
    /// 0 to 9999 are brought to the nearest end.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(*Self::RANGE.start(), *Self::RANGE.end()))
    }

    /// Reads when something ends: a time as RFC 3339 has it, or a date, which means its last
    /// millisecond in UTC.
    ///
    /// # Errors
    /// [`InvalidTimestamp`] if the text is neither.
    pub fn of_end(text: &str) -> Result<Self, InvalidTimestamp> {
        // A date alone, or the date of a time: which it is, the letter between them tells.
        if text.contains(['T', 't', ' ']) {
            return text.parse();
        }
        format!("{text}T23:59:59.999Z").parse().map_err(|_| InvalidTimestamp(text.to_owned()))
    }

    /// Returns the milliseconds since 1970-01-01T00:00:00Z.
    pub fn as_millis(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = jiff::Timestamp::from_millisecond(self.0)
            .expect("the constructor keeps the value within jiff's range");
        write!(f, "{at:.3}")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text is not a point in time in RFC 3339 form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a time: expected a form like `2026-12-01T04:05:06.789Z`", printable(.0))]
pub struct InvalidTimestamp(pub String);

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let at: jiff::Timestamp = text.parse().map_err(|_| InvalidTimestamp(text.to_owned()))?;
        Ok(Self::from_millis(at.as_millisecond()))
    }
}

impl TryFrom<String> for Timestamp {
    type Error = InvalidTimestamp;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(at: Timestamp) -> Self {
        at.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Timestamp;

    #[test]
    fn written_with_three_digits_and_z() {
        assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            Timestamp::from_millis(1_796_097_906_789).to_string(),
            "2026-12-01T04:05:06.789Z"
        );
    }

    #[test]
    fn a_date_ends_with_its_last_millisecond_and_a_time_with_itself() {
        let end = |text| Timestamp::of_end(text).map(|at| at.to_string());
        assert_eq!(end("2026-12-01"), Ok("2026-12-01T23:59:59.999Z".to_owned()));
        assert_eq!(end("2026-12-01T10:00:00Z"), Ok("2026-12-01T10:00:00.000Z".to_owned()));
        assert_eq!(end("2026-12-01T10:00:00+02:00"), Ok("2026-12-01T08:00:00.000Z".to_owned()));
        for text in
            ["", "tomorrow", "2026-13-01", "2026-02-30", "01.12.2026", "2026-12-01T", "2026-12"]
        {
            let error = Timestamp::of_end(text).expect_err(text);
            assert_eq!(error.0, text);
        }
    }

    proptest! {
        #[test]
        fn round_trips_and_sorts_as_text(a in 0_i64..4_000_000_000_000, b in 0_i64..4_000_000_000_000) {
            let (a, b) = (Timestamp::from_millis(a), Timestamp::from_millis(b));
            prop_assert_eq!(a.to_string().parse::<Timestamp>().expect("own form parses"), a);
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }

        #[test]
        fn any_number_can_be_shown(millis in any::<i64>()) {
            prop_assert!(Timestamp::from_millis(millis).to_string().ends_with('Z'));
        }
    }
}
