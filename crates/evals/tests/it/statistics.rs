//! Statistics against published values and exact arithmetic.

use proptest::prelude::*;

use windlass_evals::statistics::{percentile, sign_test, wilson};

/// R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
/// table I, method 3 (score without continuity correction).
#[test]
fn intervals_are_those_of_newcombe() {
    for (passed, total, low, high) in
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
    {
        let interval = wilson(passed, total);
        assert!((interval.low - low).abs() < 0.000_05, "{passed}/{total}: {interval:?}");
        assert!((interval.high - high).abs() < 0.000_05, "{passed}/{total}: {interval:?}");
    }
}

/// The first rows follow from binomial coefficients. M. W. Fagerland, S. Lydersen and P. Laake, BMC Medical Research
/// Methodology 13:91 (2013), define the exact conditional p-value as twice the binomial tail; their first data set
/// has 1 and 7 discordant pairs, and a p-value of 0.070. The calculator at stat-tools.xyz/mcnemar gives 0.1435 for 12 and 5.
#[test]
fn p_values_are_the_published_ones() {
    for (first, second, expected) in [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 5, 1.0),
        (6, 0, 2.0 / 64.0),
        (9, 1, 22.0 / 1024.0),
        (8, 2, 112.0 / 1024.0),
    ] {
        assert!((sign_test(first, second) - expected).abs() < 1e-12, "{first} {second}");
    }
    assert!((sign_test(1, 7) - 0.070).abs() < 0.000_5, "{}", sign_test(1, 7));
    assert!((sign_test(12, 5) - 0.1435).abs() < 0.000_05, "{}", sign_test(12, 5));
}

/// The examples of the article "Percentile" of the English Wikipedia for the nearest-rank method.
#[test]
fn percentiles_are_the_published_ones() {
    let values = [15, 20, 35, 40, 50];
    for (percent, expected) in [(5, 15), (30, 20), (40, 20), (50, 35), (100, 50)] {
        assert_eq!(percentile(&values, percent), Some(expected));
    }
    let values = [3, 6, 7, 8, 8, 9, 10, 13, 15, 16, 20];
    for (percent, expected) in [(25, 7), (50, 9), (75, 15), (100, 20)] {
        assert_eq!(percentile(&values, percent), Some(expected));
    }
    assert_eq!(percentile(&[], 50), None);
    assert_eq!(percentile(&[7], 0), Some(7));
}

/// The two-sided p-value as a fraction of integers.
#[expect(clippy::cast_precision_loss, reason = "a relative error of 1e-10 is allowed")]
fn exact(first: u32, second: u32) -> f64 {
    let (total, count) = (u128::from(first + second), u128::from(first.min(second)));
    let (mut coefficient, mut tail) = (1_u128, 0_u128);
    for taken in 0..=count {
        tail += coefficient;
        coefficient = coefficient * (total - taken) / (taken + 1);
    }
    (2.0 * tail as f64 / 2.0_f64.powi(i32::try_from(total).unwrap())).min(1.0)
}

/// Numbers of trials, and of those that passed.
fn trials(most: u32) -> impl Strategy<Value = (u32, u32)> {
    (1..=most).prop_flat_map(|total| (0..=total, Just(total)))
}

proptest! {
    #[test]
    fn an_interval_contains_the_rate_and_mirrors((passed, total) in trials(5_000)) {
        let interval = wilson(passed, total);
        let rate = f64::from(passed) / f64::from(total);
        prop_assert!(0.0 <= interval.low && interval.low <= rate && rate <= interval.high && interval.high <= 1.0);
        prop_assert!(interval.low < interval.high);
        let mirror = wilson(total - passed, total);
        prop_assert!((mirror.low - (1.0 - interval.high)).abs() < 1e-12);
        // The ends solve the equation that defines the interval: they are 1.96 standard errors from the rate.
        for end in [interval.low, interval.high].into_iter().filter(|end| *end > 0.0 && *end < 1.0) {
            let error = (end * (1.0 - end) / f64::from(total)).sqrt();
            prop_assert!(((rate - end).abs() / error - 1.959_964).abs() < 1e-6);
        }
    }

    #[test]
    fn more_trials_at_the_same_rate_narrow_the_interval((passed, total) in trials(1_000)) {
        let (few, many) = (wilson(passed, total), wilson(passed * 4, total * 4));
        prop_assert!(many.high - many.low < few.high - few.low);
    }

    #[test]
    fn the_sign_test_equals_integer_arithmetic(first in 0_u32..55, second in 0_u32..55) {
        let (found, expected) = (sign_test(first, second), exact(first, second));
        prop_assert!((found - expected).abs() <= 1e-10 * expected, "{found} {expected}");
        prop_assert_eq!(found.to_bits(), sign_test(second, first).to_bits());
    }

    #[test]
    fn the_sign_test_falls_as_the_split_becomes_uneven(total in 1_u32..3_000, first in 0_u32..3_000) {
        let first = first % (total / 2 + 1);
        let p = sign_test(first, total - first);
        prop_assert!(p > 0.0 || total > 1_000);
        prop_assert!(p <= 1.0);
        if first > 0 {
            prop_assert!(sign_test(first - 1, total - first + 1) <= p);
        }
    }

    #[test]
    fn a_percentile_has_enough_values_below(mut values in prop::collection::vec(0_u64..1_000, 1..60), percent in 0_u32..=100) {
        values.sort_unstable();
        let value = percentile(&values, percent).unwrap();
        let not_larger = values.iter().filter(|other| **other <= value).count();
        let smaller = values.iter().filter(|other| **other < value).count();
        prop_assert!(not_larger * 100 >= values.len() * percent as usize);
        prop_assert!(smaller == 0 || smaller * 100 < values.len() * percent as usize);
    }
}
