//! The use of rates and budgets by each client. An amount is reserved before a request is sent and corrected when its
//! answer has ended, so that concurrent requests cannot pass a limit together.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::calendar::Moment;
use super::limits::ClientLimits;
use super::window::MinuteWindow;
use crate::record_file::{RecordFile, RecordFileError, RecordKeeper, Records};

/// Tokens and their cost, in millionths of a currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) tokens: u64,
    pub(super) cost: u64,
}

/// The limit that a request would pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitKind {
    RequestsPerMinute,
    TokensPerMinute,
    TokensPerDay,
    TokensPerMonth,
    CostPerDay,
    CostPerMonth,
}

/// The refusal of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denial {
    /// The request fits after a wait.
    Later { limit: LimitKind, wait: Duration },
    /// The request needs more than the whole limit.
    TooLarge { limit: LimitKind, needed: u64, most: u64 },
    /// The file that keeps the use of budgets cannot be written.
    Unrecorded,
}

/// A reservation. [`Accounts::settle`] ends it.
#[derive(Debug)]
pub(super) struct Reservation {
    client: String,
    moment: Moment,
    pub(super) amount: Amount,
    /// True for a client with a budget, whose use a file keeps.
    is_kept: bool,
}

/// The use of the budgets of one client, and a line of the file that keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ClientUsage {
    /// The name of the client.
    pub client: String,
    /// The day, as a number of days since 1970.
    pub day: u64,
    /// The tokens of the day.
    pub day_tokens: u64,
    /// The cost of the day, in millionths.
    pub day_cost: u64,
    /// The month, as a number of months since 1970.
    pub month: u64,
    /// The tokens of the month.
    pub month_tokens: u64,
    /// The cost of the month, in millionths.
    pub month_cost: u64,
}

/// The accounts of all clients.
#[derive(Debug, Default)]
pub(super) struct Accounts(Mutex<RecordKeeper<AccountTable>>);

/// The account of each client, by its name.
#[derive(Debug, Default)]
struct AccountTable(BTreeMap<String, Account>);

#[derive(Debug, Default)]
struct Account {
    requests: MinuteWindow,
    tokens: MinuteWindow,
    day: Period,
    month: Period,
}

/// The amounts of a day or a month, with those that are reserved.
#[derive(Debug, Default)]
struct Period {
    number: u64,
    amount: Amount,
}

impl Accounts {
    /// Adds the use of budgets of a file, and keeps it there.
    pub(super) fn open(&self, path: &Path) -> Result<RecordFile, RecordFileError> {
        self.lock().open(path)
    }

    /// Reserves an amount for a request, if it fits below all limits. The reservation of a client with a budget is in the
    /// file before this returns, so a killed process has counted each request that it sent. A request without an amount, such
    /// as one that the cache answers, needs no line.
    pub(super) fn reserve(
        &self,
        client: &str,
        limits: &ClientLimits,
        amount: Amount,
        second: u64,
    ) -> Result<Reservation, Denial> {
        let accounts = &mut *self.lock();
        let account = accounts.records.0.entry(client.to_owned()).or_default();
        let moment = account.advance(second);
        account.check(limits, amount, moment)?;
        account.add(amount);
        let is_kept = limits.has_budget() && amount != Amount::default();
        if is_kept {
            let usage = account.usage(client);
            if !accounts.store(|| usage) {
                if let Some(account) = accounts.records.0.get_mut(client) {
                    account.take_back(amount, moment);
                }
                return Err(Denial::Unrecorded);
            }
        }
        Ok(Reservation { client: client.to_owned(), moment, amount, is_kept })
    }

    /// Replaces a reservation by the amount that was used. It counts in the periods of the reservation.
    pub(super) fn settle(&self, reservation: &Reservation, used: Amount) {
        let accounts = &mut *self.lock();
        let Some(account) = accounts.records.0.get_mut(&reservation.client) else { return };
        let Reservation { client, moment, amount, is_kept } = reservation;
        account.tokens.correct(moment.second, amount.tokens, used.tokens);
        for (period, number) in [(&mut account.day, moment.day), (&mut account.month, moment.month)] {
            if period.number == number {
                period.amount.subtract(*amount);
                period.amount.add(used);
            }
        }
        if *is_kept {
            let usage = account.usage(client);
            // Without this line the file has the whole reservation, which the next line of the client corrects.
            accounts.store(|| usage);
        }
    }

    /// Returns the use of the budgets. Reservations are part of it.
    pub(super) fn usage(&self) -> Vec<ClientUsage> {
        let accounts = self.lock();
        accounts.records.0.iter().map(|(client, account)| account.usage(client)).collect()
    }

    /// Sets the use of the budgets of these clients.
    pub(super) fn restore(&self, usage: &[ClientUsage]) {
        let accounts = &mut *self.lock();
        for entry in usage {
            accounts.records.restore(entry);
        }
    }

    fn lock(&self) -> MutexGuard<'_, RecordKeeper<AccountTable>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AccountTable {
    fn restore(&mut self, usage: &ClientUsage) {
        let account = self.0.entry(usage.client.clone()).or_default();
        let day = Amount { tokens: usage.day_tokens, cost: usage.day_cost };
        let month = Amount { tokens: usage.month_tokens, cost: usage.month_cost };
        account.day = Period { number: usage.day, amount: day };
        account.month = Period { number: usage.month, amount: month };
    }
}

impl Records for AccountTable {
    const KIND: &'static str = "usage 2";

    type Record = ClientUsage;

    fn apply(&mut self, record: ClientUsage) {
        self.restore(&record);
    }

    /// Leaves out clients without a request in the newest month: their use does not count any more, and removed clients
    /// would stay in the file for ever.
    fn list(&self) -> impl Iterator<Item = ClientUsage> {
        let newest = self.0.values().map(|account| account.month.number).max();
        let current = self.0.iter().filter(move |(_, account)| Some(account.month.number) == newest);
        current.map(|(client, account)| account.usage(client))
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    /// Version 1 was one array, which was written every five seconds.
    fn read_headless(text: &[u8]) -> Option<Vec<ClientUsage>> {
        serde_json::from_slice(text).ok()
    }
}

impl Account {
    /// Begins new periods, and returns the moment. A clock that goes back does not.
    fn advance(&mut self, second: u64) -> Moment {
        let second = second.max(self.requests.newest());
        let moment = Moment::new(second);
        self.requests.advance(second);
        self.tokens.advance(second);
        for (period, number) in [(&mut self.day, moment.day), (&mut self.month, moment.month)] {
            if period.number < number {
                *period = Period { number, amount: Amount::default() };
            }
        }
        moment
    }

    /// Adds a request and its amount.
    fn add(&mut self, amount: Amount) {
        self.requests.add(1);
        self.tokens.add(amount.tokens);
        self.day.amount.add(amount);
        self.month.amount.add(amount);
    }

    /// Takes back the last request, which was added at this moment.
    fn take_back(&mut self, amount: Amount, moment: Moment) {
        self.requests.correct(moment.second, 1, 0);
        self.tokens.correct(moment.second, amount.tokens, 0);
        self.day.amount.subtract(amount);
        self.month.amount.subtract(amount);
    }

    fn usage(&self, client: &str) -> ClientUsage {
        ClientUsage {
            client: client.to_owned(),
            day: self.day.number,
            day_tokens: self.day.amount.tokens,
            day_cost: self.day.amount.cost,
            month: self.month.number,
            month_tokens: self.month.amount.tokens,
            month_cost: self.month.amount.cost,
        }
    }

    fn check(&self, limits: &ClientLimits, amount: Amount, moment: Moment) -> Result<(), Denial> {
        use LimitKind::{
            CostPerDay, CostPerMonth, RequestsPerMinute, TokensPerDay, TokensPerMinute, TokensPerMonth,
        };
        let Amount { tokens, cost } = amount;
        let (day, month) = (self.day.amount, self.month.amount);
        let next_day = Duration::from_secs(moment.seconds_to_next_day());
        let next_month = Duration::from_secs(moment.seconds_to_next_month());
        let minute = |window: &MinuteWindow, most: Option<u64>, needed| {
            most.map_or(Duration::ZERO, |most| window.wait(most, needed))
        };
        let checks = [
            // A longer wait counts first, so that a client does not return too early.
            (CostPerMonth, limits.cost_per_month, month.cost, cost, next_month),
            (TokensPerMonth, limits.tokens_per_month, month.tokens, tokens, next_month),
            (CostPerDay, limits.cost_per_day, day.cost, cost, next_day),
            (TokensPerDay, limits.tokens_per_day, day.tokens, tokens, next_day),
            (
                TokensPerMinute,
                limits.tokens_per_minute,
                self.tokens.sum(),
                tokens,
                minute(&self.tokens, limits.tokens_per_minute, tokens),
            ),
            (
                RequestsPerMinute,
                limits.requests_per_minute,
                self.requests.sum(),
                1,
                minute(&self.requests, limits.requests_per_minute, 1),
            ),
        ];
        for (limit, most, used, needed, wait) in checks {
            let Some(most) = most else { continue };
            if needed > most {
                return Err(Denial::TooLarge { limit, needed, most });
            }
            if used.saturating_add(needed) > most {
                return Err(Denial::Later { limit, wait });
            }
        }
        Ok(())
    }
}

impl Amount {
    fn add(&mut self, other: Self) {
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.cost = self.cost.saturating_add(other.cost);
    }

    fn subtract(&mut self, other: Self) {
        self.tokens = self.tokens.saturating_sub(other.tokens);
        self.cost = self.cost.saturating_sub(other.cost);
    }
}

#[cfg(test)]
mod tests;
