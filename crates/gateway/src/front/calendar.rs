//! Days and months of UTC, as numbers.

/// Seconds of a day.
const DAY: u64 = 86_400;

/// A point in time, with its day and its month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// Seconds since 1970.
    pub(super) second: u64,
    /// Days since 1970.
    pub(super) day: u64,
    /// Months since 1970.
    pub(super) month: u64,
}

impl Moment {
    pub(super) fn new(second: u64) -> Self {
        let day = second / DAY;
        Self { second, day, month: month_of(day) }
    }

    /// Returns the seconds until the next day.
    pub(super) fn seconds_to_next_day(self) -> u64 {
        DAY.saturating_sub(self.second % DAY)
    }

    /// Returns the seconds until the next month.
    pub(super) fn seconds_to_next_month(self) -> u64 {
        let next = (self.day..).skip(1).take(31).find(|day| month_of(*day) != self.month);
        let first = next.unwrap_or(self.day.saturating_add(31));
        first.saturating_mul(DAY).saturating_sub(self.second)
    }
}

/// Returns the month of a day, in the Gregorian calendar. Computes with years that begin in March, so that the leap day
/// is the last day of a year.
#[expect(clippy::arithmetic_side_effects, reason = "a day of a clock with 64 bits of seconds is below 2^48")]
fn month_of(day: u64) -> u64 {
    // Days since 1 March of the year 0; an era has 400 years.
    let day = day + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let months = (era * 400 + year_of_era) * 12 + from_march + 2;
    // January 1970 is month 0.
    months.saturating_sub(1_970 * 12)
}

#[cfg(test)]
mod tests {
    use super::Moment;

    #[test]
    fn months_follow_the_calendar() {
        // 1970-01-01, 1970-01-31, 1970-02-01, 2000-02-29, 2000-03-01, 2026-11-27, 2026-12-01, 2100-03-01.
        let days = [(0, 0), (30, 0), (31, 1), (11_016, 361), (11_017, 362), (20_784, 682), (20_788, 683)];
        for (day, month) in days {
            assert_eq!(Moment::new(day * 86_400 + 5).month, month, "day {day}");
        }
        assert_eq!(Moment::new(20_784 * 86_400 + 86_399).seconds_to_next_day(), 1);
        assert_eq!(Moment::new(20_784 * 86_400).seconds_to_next_month(), 4 * 86_400);
        let mut last = 0;
        for day in 0..60_000 {
            let moment = Moment::new(day * 86_400);
            assert!(moment.month == last || moment.month == last + 1, "day {day}");
            assert!((86_400..=31 * 86_400).contains(&moment.seconds_to_next_month()), "day {day}");
            last = moment.month;
        }
        // 60,000 days are 164 years and 3 months.
        assert_eq!(last, 1_971);
    }
}
