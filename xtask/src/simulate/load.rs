//! The load model in closed form: rates, utilization and sizes from the means of the inputs.

use anyhow::Result;

use super::inputs::Inputs;

/// Seconds of a day.
const DAY: f64 = 86_400.0;
/// Hours of a month, as price lists count them.
const HOURS_PER_MONTH: f64 = 730.0;

/// The load: runs that alternate between episodes of work and waits, and the capacities that serve them.
///
/// An episode has several steps. A step needs a place in a worker for a request to the model, for its calls, and
/// for the writes to the store.
#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) runs: f64,
    pub(super) steps_per_episode: f64,
    /// Seconds of a request to the model.
    pub(super) request: f64,
    /// Seconds of the calls of a step.
    pub(super) calls: f64,
    /// Seconds of a wait for a human or a timer.
    pub(super) wait: f64,
    pub(super) working_share: f64,
    /// Writes of a step to the store: records, renewals of the lease, and a part of those of the episode.
    pub(super) writes_per_step: f64,
    /// Seconds of a write.
    pub(super) append: f64,
    /// Writes that the store executes at the same time.
    pub(super) writers: f64,
    /// Bytes that a step adds to the database.
    pub(super) bytes_per_step: f64,
    pub(super) workers: f64,
    pub(super) steps_per_worker: f64,
}

/// The results that the closed form predicts and the simulation observes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    pub(super) steps_per_second: f64,
    pub(super) writes_per_second: f64,
    /// Share of the workers' places that work.
    pub(super) worker_utilization: f64,
    /// Share of the store's writers that work.
    pub(super) store_utilization: f64,
    pub(super) gigabytes_per_day: f64,
}

impl Load {
    /// Creates the load of the inputs over a store: `folder`, `sqlite` or `postgres`. Without a number of
    /// workers, there are enough for the target utilization.
    pub(super) fn new(inputs: &Inputs, store: &str, workers: Option<f64>) -> Result<Self> {
        let (request, share) = (inputs.get("seconds_per_request")?, inputs.get("working_share")?);
        let calls = inputs.get("calls_per_step")? * inputs.get("seconds_per_call")?;
        let steps_per_episode = inputs.get("steps_per_episode")?;
        let records = inputs.get("records_per_step")?;
        let renewals = (request + calls) / inputs.get("seconds_per_renewal")?;
        let others = inputs.get("writes_per_episode")? / steps_per_episode;
        let mut load = Self {
            runs: inputs.get("runs")?,
            steps_per_episode,
            request,
            calls,
            wait: steps_per_episode * (request + calls) * (1.0 - share) / share,
            working_share: share,
            writes_per_step: records + renewals + others,
            append: inputs.get(&format!("append_microseconds_{store}"))? / 1e6,
            writers: inputs.get(&format!("writers_{store}"))?,
            bytes_per_step: records * (inputs.get("bytes_per_record")? + inputs.get("bytes_of_row")?),
            workers: 0.0,
            steps_per_worker: inputs.get("steps_per_worker")?,
        };
        let places = load.demanded_steps() * load.step_seconds() / inputs.get("target_utilization")?;
        load.workers = workers.unwrap_or((places / load.steps_per_worker).ceil());
        Ok(load)
    }

    /// Returns the seconds for which a step holds its place in a worker, without queues.
    pub(super) fn step_seconds(&self) -> f64 {
        self.request + self.calls + self.writes_per_step * self.append
    }

    /// Returns the number of places for steps in all workers.
    pub(super) fn places(&self) -> f64 {
        self.workers * self.steps_per_worker
    }

    /// Returns the steps a second if nothing queues.
    fn demanded_steps(&self) -> f64 {
        let cycle = self.steps_per_episode * self.step_seconds() + self.wait;
        self.runs * self.steps_per_episode / cycle
    }

    /// Predicts the rates by the bounds of a closed network: the demand of the runs, the places in the workers,
    /// and the writers of the store. The smallest bound holds; near a crossing of two bounds it is too high.
    pub(super) fn predict(&self) -> Rates {
        let store = self.writers / (self.writes_per_step * self.append);
        let steps = self.demanded_steps().min(self.places() / self.step_seconds()).min(store);
        // A run that does not wait for a human or a timer occupies a place, even while it waits for the store.
        let working = self.runs - steps * self.wait / self.steps_per_episode;
        self.rates(steps, (working / self.places()).min(1.0))
    }

    /// Returns the rates that follow from a number of steps a second.
    pub(super) fn rates(&self, steps_per_second: f64, worker_utilization: f64) -> Rates {
        let writes_per_second = steps_per_second * self.writes_per_step;
        Rates {
            steps_per_second,
            writes_per_second,
            worker_utilization,
            store_utilization: writes_per_second * self.append / self.writers,
            gigabytes_per_day: steps_per_second * self.bytes_per_step * DAY / 1e9,
        }
    }
}

/// The sizes and monthly costs that follow from the rates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bill {
    /// Gigabytes of the records of open runs, which are in the middle of their steps on average.
    pub(super) open_gigabytes: f64,
    pub(super) database_servers: f64,
    /// Reads of the inboxes of working runs.
    pub(super) polls_per_second: f64,
    /// Processes of `windlass run`, each with connections of its own.
    pub(super) working_runs: f64,
    pub(super) dollars_workers: f64,
    pub(super) dollars_database: f64,
    pub(super) cache_gigabytes: f64,
    pub(super) history_events_per_run: f64,
    pub(super) history_kilobytes_per_run: f64,
    pub(super) history_gigabytes: f64,
    pub(super) actions_per_second: f64,
    pub(super) dollars_actions: f64,
    pub(super) dollars_histories: f64,
}

impl Bill {
    /// Computes the bill of a month for a load with these rates.
    pub(super) fn new(inputs: &Inputs, load: &Load, rates: &Rates) -> Result<Self> {
        let half = inputs.get("steps_per_run")? / 2.0;
        let open = load.runs * (half * load.bytes_per_step + inputs.get("bytes_of_run")?) / 1e9;
        // A server at 70 % of its writers has room for peaks.
        let demanded = load.demanded_steps() * load.writes_per_step * load.append / load.writers;
        let servers = (demanded / inputs.get("target_utilization")?).ceil().max(1.0);
        let server = inputs.get("price_database_hour")? * HOURS_PER_MONTH;
        // The open records and one month of growth.
        let kept = open + rates.gigabytes_per_day * HOURS_PER_MONTH / 24.0;
        let turns = inputs.get("turns_per_history")?.min(inputs.get("steps_per_run")?) / 2.0;
        let activities = 1.0 + 2.0 * inputs.get("calls_per_step")?;
        let events = inputs.get("events_per_activity")? * activities * turns;
        let bytes = inputs.get("history_bytes_per_activity")? * activities * turns;
        let signals = 1.0 / load.steps_per_episode;
        let actions = rates.steps_per_second * (activities + inputs.get("heartbeats_per_step")? + signals);
        let histories = load.runs * bytes / 1e9;
        let month = HOURS_PER_MONTH * 3_600.0;
        Ok(Self {
            open_gigabytes: open,
            database_servers: servers,
            polls_per_second: load.runs * load.working_share * inputs.get("polls_per_second")?,
            working_runs: load.runs * load.working_share,
            dollars_workers: load.workers * inputs.get("price_worker_hour")? * HOURS_PER_MONTH,
            dollars_database: servers * server + kept * inputs.get("price_database_gigabyte_month")?,
            cache_gigabytes: load.runs * inputs.get("bytes_per_suspended_run")? / 1e9,
            history_events_per_run: events,
            history_kilobytes_per_run: bytes / 1e3,
            history_gigabytes: histories,
            actions_per_second: actions,
            dollars_actions: actions * month / 1e6 * inputs.get("price_million_actions")?,
            dollars_histories: histories * HOURS_PER_MONTH * inputs.get("price_active_gigabyte_hour")?,
        })
    }
}

/// Returns a positive number as a whole number, rounded up.
pub(super) fn to_count(number: f64) -> u32 {
    let mut count = 1_u32;
    while f64::from(count) < number && count < 1_000_000 {
        count = count.saturating_add(1);
    }
    count
}
