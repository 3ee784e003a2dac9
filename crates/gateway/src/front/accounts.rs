//! The use of rates and budgets by each client. An amount is reserved before a request is sent and corrected when its
//! answer has ended, so that concurrent requests cannot pass a limit together.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::calendar::Moment;
use super::limits::ClientLimits;
use super::window::MinuteWindow;

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
}

/// A reservation. [`Accounts::settle`] ends it.
#[derive(Debug)]
pub(super) struct Reservation {
    client: String,
    moment: Moment,
    pub(super) amount: Amount,
}

/// The use of the budgets of one client, for a store that outlives the process.
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
pub(super) struct Accounts(Mutex<BTreeMap<String, Account>>);

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
    /// Reserves an amount for a request, if it fits below all limits.
    pub(super) fn reserve(
        &self,
        client: &str,
        limits: &ClientLimits,
        amount: Amount,
        second: u64,
    ) -> Result<Reservation, Denial> {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let account = accounts.entry(client.to_owned()).or_default();
        let moment = account.advance(second);
        account.check(limits, amount, moment)?;
        account.requests.add(1);
        account.tokens.add(amount.tokens);
        account.day.amount.add(amount);
        account.month.amount.add(amount);
        Ok(Reservation { client: client.to_owned(), moment, amount })
    }

    /// Replaces a reservation by the amount that was used. It counts in the periods of the reservation.
    pub(super) fn settle(&self, reservation: &Reservation, used: Amount) {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(account) = accounts.get_mut(&reservation.client) else { return };
        let Reservation { moment, amount, .. } = reservation;
        account.tokens.correct(moment.second, amount.tokens, used.tokens);
        for (period, number) in [(&mut account.day, moment.day), (&mut account.month, moment.month)] {
            if period.number == number {
                period.amount.subtract(*amount);
                period.amount.add(used);
            }
        }
    }

    /// Returns the use of the budgets. Reservations are part of it.
    pub(super) fn usage(&self) -> Vec<ClientUsage> {
        let accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let usage = accounts.iter().map(|(client, account)| ClientUsage {
            client: client.clone(),
            day: account.day.number,
            day_tokens: account.day.amount.tokens,
            day_cost: account.day.amount.cost,
            month: account.month.number,
            month_tokens: account.month.amount.tokens,
            month_cost: account.month.amount.cost,
        });
        usage.collect()
    }

    /// Sets the use of the budgets of these clients.
    pub(super) fn restore(&self, usage: &[ClientUsage]) {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in usage {
            let account = accounts.entry(entry.client.clone()).or_default();
            let day = Amount { tokens: entry.day_tokens, cost: entry.day_cost };
            let month = Amount { tokens: entry.month_tokens, cost: entry.month_cost };
            account.day = Period { number: entry.day, amount: day };
            account.month = Period { number: entry.month, amount: month };
        }
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
