//! The discrete event simulation of the load, scaled down.
//!
//! Distributions: a request to the model is log-normal with a sigma of 0.8 (most answers are short, some are very
//! long); calls, waits and writes are exponential; the number of steps of an episode is geometric. The means of all
//! distributions are those of the closed form.
//!
//! The factor of the scale is the number of real runs for one simulated run. The workers' places are divided by
//! it. The store keeps its capacity, and the writes of a simulated step represent those of `factor` real steps
//! that arrive at once. Places queue more in a small system than in a large one, and batches queue more than
//! single writes, so the delays of the scaled simulation are too long rather than too short.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use super::load::{Load, Rates, to_count};
use super::random::Random;

/// The sigma of the logarithm of a request's duration.
const SIGMA: f64 = 0.8;

/// The size of a simulation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) runs: u32,
    pub(super) seed: u64,
    /// The time before the observation begins.
    pub(super) warm_up: Duration,
    pub(super) observed: Duration,
}

/// The observations of a simulation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    pub(super) rates: Rates,
    /// Seconds for which a step waits for a place in a worker: half and 99 of 100 wait less.
    pub(super) queue_p50: f64,
    pub(super) queue_p99: f64,
    /// Seconds for which a step's writes wait for the store.
    pub(super) store_p50: f64,
    pub(super) store_p99: f64,
    pub(super) steps: u32,
}

/// The kinds of events. Runs of the same state do not differ, so an event does not name its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A wait has ended.
    Wake,
    /// The request and the calls of a step have ended, and its writes begin.
    Write,
    /// A step has ended.
    End,
}

struct Simulation<'a> {
    load: &'a Load,
    random: Random,
    factor: f64,
    begin: Duration,
    end: Duration,
    /// Events by time; the number keeps equal times in order.
    events: BinaryHeap<Reverse<(Duration, u64, Kind)>>,
    number: u64,
    free_places: u32,
    queue: VecDeque<Duration>,
    /// The time at which the store has executed all writes so far.
    store_free: Duration,
    busy_places: Duration,
    busy_store: Duration,
    queue_delays: Vec<f64>,
    store_delays: Vec<f64>,
    steps: u32,
}

/// Simulates the load.
pub(super) fn simulate(load: &Load, scale: &Scale) -> Observation {
    let factor = load.runs / f64::from(scale.runs);
    let places = to_count((load.places() / factor).round());
    let mut simulation = Simulation {
        load,
        random: Random::new(scale.seed),
        factor,
        begin: scale.warm_up,
        end: scale.warm_up.saturating_add(scale.observed),
        events: BinaryHeap::new(),
        number: 0,
        free_places: places,
        queue: VecDeque::new(),
        store_free: Duration::ZERO,
        busy_places: Duration::ZERO,
        busy_store: Duration::ZERO,
        queue_delays: Vec::new(),
        store_delays: Vec::new(),
        steps: 0,
    };
    simulation.start(scale.runs);
    simulation.run();
    simulation.report(f64::from(places))
}

impl Simulation<'_> {
    /// Puts the runs into the states of the long-term average.
    fn start(&mut self, runs: u32) {
        for _ in 0..runs {
            if self.random.draw_share() < self.load.working_share {
                self.enqueue(Duration::ZERO);
            } else {
                let wait = self.random.draw_exponential(self.load.wait);
                self.schedule(wait, Kind::Wake);
            }
        }
    }

    fn run(&mut self) {
        while let Some(Reverse((now, _, kind))) = self.events.pop() {
            if now >= self.end {
                return;
            }
            match kind {
                Kind::Wake => self.enqueue(now),
                Kind::Write => self.write(now),
                Kind::End => self.end_step(now),
            }
        }
    }

    fn schedule(&mut self, at: Duration, kind: Kind) {
        self.number = self.number.saturating_add(1);
        self.events.push(Reverse((at, self.number, kind)));
    }

    /// Puts a step into the queue of the workers, and starts steps on free places.
    fn enqueue(&mut self, now: Duration) {
        self.queue.push_back(now);
        self.fill_places(now);
    }

    fn fill_places(&mut self, now: Duration) {
        while self.free_places > 0 {
            let Some(since) = self.queue.pop_front() else { return };
            self.free_places -= 1;
            if now >= self.begin {
                self.queue_delays.push(now.saturating_sub(since).as_secs_f64());
            }
            let request = self.random.draw_log_normal(self.load.request, SIGMA);
            let work = request.saturating_add(self.random.draw_exponential(self.load.calls));
            let at = now.saturating_add(work);
            self.busy_places = self.busy_places.saturating_add(self.clip(now, at));
            self.schedule(at, Kind::Write);
        }
    }

    /// Executes the writes of a step in the store, which serves batches in order with all its writers.
    fn write(&mut self, now: Duration) {
        let service = self.random.draw_exponential(self.load.writes_per_step * self.load.append);
        let batch = service.mul_f64(self.factor / self.load.writers);
        let start = self.store_free.max(now);
        self.store_free = start.saturating_add(batch);
        self.busy_store = self.busy_store.saturating_add(self.clip(start, self.store_free));
        if now >= self.begin {
            self.store_delays.push(start.saturating_sub(now).as_secs_f64());
        }
        let at = start.saturating_add(service);
        self.busy_places = self.busy_places.saturating_add(self.clip(now, at));
        self.schedule(at, Kind::End);
    }

    /// Frees the place of a step. The run begins its next step, or waits.
    fn end_step(&mut self, now: Duration) {
        self.free_places = self.free_places.saturating_add(1);
        if now >= self.begin {
            self.steps = self.steps.saturating_add(1);
        }
        if self.random.draw_share() * self.load.steps_per_episode < 1.0 {
            let wait = self.random.draw_exponential(self.load.wait);
            self.schedule(now.saturating_add(wait), Kind::Wake);
            self.fill_places(now);
        } else {
            self.enqueue(now);
        }
    }

    /// Returns the part of an interval that is observed.
    fn clip(&self, from: Duration, to: Duration) -> Duration {
        to.min(self.end).saturating_sub(from.max(self.begin))
    }

    fn report(mut self, places: f64) -> Observation {
        let observed = self.end.saturating_sub(self.begin).as_secs_f64();
        let steps = f64::from(self.steps) / observed * self.factor;
        let mut rates = self.load.rates(steps, self.busy_places.as_secs_f64() / (observed * places));
        rates.store_utilization = self.busy_store.as_secs_f64() / observed;
        let (queue_p50, queue_p99) = percentiles(&mut self.queue_delays);
        let (store_p50, store_p99) = percentiles(&mut self.store_delays);
        Observation { rates, queue_p50, queue_p99, store_p50, store_p99, steps: self.steps }
    }
}

/// Returns the values below which half and 99 of 100 values are. An empty list has zeros.
fn percentiles(values: &mut [f64]) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |part: usize| {
        let last = values.len().saturating_sub(1);
        values.get(last.saturating_mul(part) / 100).copied().unwrap_or_default()
    };
    (at(50), at(99))
}
