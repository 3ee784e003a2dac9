//! Random numbers with a seed, and the distributions of the simulation.

use std::f64::consts::TAU;
use std::time::Duration;

/// The `SplitMix64` generator of Steele, Lea and Flood.
#[derive(Debug)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let first = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let second = (first ^ (first >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        second ^ (second >> 31)
    }

    /// Draws a uniform number above 0 and below 1.
    pub(super) fn draw_share(&mut self) -> f64 {
        let bits = u32::try_from(self.next() >> 32).unwrap_or_default();
        (f64::from(bits) + 0.5) / 4_294_967_296.0
    }

    /// Draws an exponential time.
    pub(super) fn draw_exponential(&mut self, mean_seconds: f64) -> Duration {
        to_duration(-mean_seconds * self.draw_share().ln())
    }

    /// Draws a log-normal time by the transform of Box and Muller. `sigma` is that of the logarithm.
    pub(super) fn draw_log_normal(&mut self, mean_seconds: f64, sigma: f64) -> Duration {
        let (radius, angle) = (self.draw_share(), self.draw_share());
        let normal = (-2.0 * radius.ln()).sqrt() * (TAU * angle).cos();
        to_duration((mean_seconds.ln() - sigma * sigma / 2.0 + sigma * normal).exp())
    }
}

fn to_duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use windlass_testkit::split::SplitMix64;

    use super::Random;

    #[test]
    fn the_generator_is_that_of_the_test_kit() {
        let (mut ours, mut theirs) = (Random::new(7), SplitMix64::new(7));
        for _ in 0..100 {
            assert_eq!(ours.next(), theirs.next_u64());
        }
    }

    #[test]
    fn the_distributions_have_their_means() {
        let mut random = Random::new(1);
        let (mut exponential, mut log_normal) = (0.0, 0.0);
        for _ in 0..100_000 {
            exponential += random.draw_exponential(3.0).as_secs_f64() / 100_000.0;
            log_normal += random.draw_log_normal(15.0, 0.8).as_secs_f64() / 100_000.0;
        }
        assert!((exponential - 3.0).abs() < 0.05, "{exponential}");
        assert!((log_normal - 15.0).abs() < 0.25, "{log_normal}");
    }
}
