//! Statistics of repeated trials: an interval for a rate, an exact paired test, and percentiles.

/// The quantile of the standard normal distribution of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// An interval of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an interval has two ends")]
pub struct Interval {
    /// The lower end, at least 0.
    pub low: f64,
    /// The upper end, at most 1.
    pub high: f64,
}

/// Returns the Wilson score interval for the rate of `passed` in `total`, with a confidence of 95 % and without a
/// correction for continuity. Without trials it is the whole range from 0 to 1.
///
/// Unlike the usual interval around the observed rate, it is not empty for rates of 0 and 1, and is usable for few trials
/// (E. B. Wilson, 1927; method 3 of R. G. Newcombe, Statistics in Medicine 17, 1998). It takes trials as independent, which
/// repetitions of one case are not quite.
///
/// ```
/// use windlass_evals::statistics::wilson;
/// let interval = wilson(8, 10);
/// assert!((interval.low - 0.490).abs() < 0.001 && (interval.high - 0.943).abs() < 0.001);
/// ```
pub fn wilson(passed: u32, total: u32) -> Interval {
    if total == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, rate) = (f64::from(total), f64::from(passed.min(total)) / f64::from(total));
    let scale = 1.0 + Z * Z / n;
    let center = (rate + Z * Z / (2.0 * n)) / scale;
    let half = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    // At rates of 0 and 1 the interval ends there, up to rounding.
    let low = if passed == 0 { 0.0 } else { (center - half).max(0.0) };
    let high = if passed >= total { 1.0 } else { (center + half).min(1.0) };
    Interval { low, high }
}

/// Returns the two-sided p-value of the exact sign test: the probability of a split that is at least as uneven as
/// `first` to `second`, if both are equally likely. Ties are left out before.
///
/// For two models with one trial of each case, `first` and `second` are the cases that only one of them passed, and the
/// test is McNemar's exact test.
///
/// ```
/// use windlass_evals::statistics::sign_test;
/// // Nine cases better, one worse: 22 of 1024 splits are as uneven.
/// assert!((sign_test(9, 1) - 22.0 / 1024.0).abs() < 1e-12);
/// ```
pub fn sign_test(first: u32, second: u32) -> f64 {
    let total = u64::from(first).saturating_add(u64::from(second));
    let count = u64::from(first.min(second));
    // The logarithm of the binomial coefficient, so that many trials neither overflow nor vanish.
    let (mut coefficient, mut tail) = (0.0_f64, 0.0_f64);
    let all = to_float(total) * std::f64::consts::LN_2;
    for taken in 0..=count {
        tail += (coefficient - all).exp();
        let left = to_float(total.saturating_sub(taken));
        coefficient += left.ln() - to_float(taken.saturating_add(1)).ln();
    }
    (2.0 * tail).min(1.0)
}

/// Returns the value at a percentile of sorted values by the nearest-rank method: the smallest value such that at
/// least `percent` of all values are not larger. Returns `None` without values.
///
/// ```
/// use windlass_evals::statistics::percentile;
/// assert_eq!(percentile(&[15, 20, 35, 40, 50], 40), Some(20));
/// ```
pub fn percentile(sorted: &[u64], percent: u32) -> Option<u64> {
    let count = u128::try_from(sorted.len()).ok()?;
    let rank = count.saturating_mul(u128::from(percent.min(100))).div_ceil(100).max(1);
    sorted.get(usize::try_from(rank.saturating_sub(1)).ok()?).copied()
}

/// Returns an integer as a float. A count of trials has far less than 53 bits.
#[expect(clippy::cast_precision_loss, reason = "counts of trials are exact as floats")]
fn to_float(count: u64) -> f64 {
    count as f64
}
