//! Tests of the accounts: an oracle with every admitted amount, and random orders of reservations and ends.

#![expect(clippy::arithmetic_side_effects, reason = "small numbers")]

use std::time::Duration;

use proptest::prelude::*;

use super::super::limits::ClientLimits;
use super::{Accounts, Amount, Denial, LimitKind};

const LIMITS: ClientLimits = ClientLimits {
    requests_per_minute: Some(7),
    tokens_per_minute: Some(100),
    tokens_per_day: Some(400),
    tokens_per_month: Some(900),
    cost_per_day: Some(300),
    cost_per_month: Some(700),
};

#[derive(Clone, Debug)]
enum Step {
    /// A request with these tokens and this cost.
    Begin(u64, u64),
    /// The end of one of the open requests, which used this percentage of its reservation.
    End(usize, u64),
    /// Seconds pass.
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..60_u64, 0..60_u64).prop_map(|(tokens, cost)| Step::Begin(tokens, cost)),
        3 => (any::<usize>(), 0..=100_u64).prop_map(|(index, used)| Step::End(index, used)),
        2 => (0..30_u64).prop_map(Step::Wait),
        1 => (20_000..90_000_u64).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    // Every order of concurrent requests: the amounts that are really used stay below each limit.
    #[test]
    fn no_order_of_requests_passes_a_limit(steps in proptest::collection::vec(step(), 1..120)) {
        let accounts = Accounts::default();
        // Three days before the end of a month.
        let mut now: u64 = (20_788 - 3) * 86_400;
        let mut open = Vec::new();
        // The time in seconds, and the amount that was reserved and later used.
        let mut log: Vec<(u64, Amount)> = Vec::new();
        for step in steps {
            match step {
                Step::Wait(seconds) => now += seconds,
                Step::Begin(tokens, cost) => {
                    let amount = Amount { tokens, cost };
                    match accounts.reserve("a", &LIMITS, amount, now) {
                        Ok(reservation) => {
                            open.push((log.len(), reservation));
                            log.push((now, amount));
                        }
                        Err(Denial::Later { wait, .. }) => prop_assert!(wait > Duration::ZERO),
                        Err(Denial::TooLarge { needed, most, .. }) => prop_assert!(needed > most),
                        Err(Denial::Unrecorded) => prop_assert!(false, "no file keeps the accounts"),
                    }
                }
                Step::End(index, percentage) if !open.is_empty() => {
                    let (place, reservation) = open.swap_remove(index % open.len());
                    let reserved = reservation.amount;
                    let used = Amount {
                        tokens: reserved.tokens * percentage / 100,
                        cost: reserved.cost * percentage / 100,
                    };
                    accounts.settle(&reservation, used);
                    log[place].1 = used;
                }
                Step::End(..) => {}
            }
            let sum = |from: u64| {
                let recent = log.iter().filter(|(second, _)| *second >= from);
                recent.fold((0, 0, 0), |sum, (_, amount)| (sum.0 + 1, sum.1 + amount.tokens, sum.2 + amount.cost))
            };
            let minute = sum(now.saturating_sub(60));
            prop_assert!(minute.0 <= 7 && minute.1 <= 100, "{minute:?}");
            let day = sum(now / 86_400 * 86_400);
            prop_assert!(day.1 <= 400 && day.2 <= 300, "{day:?}");
            let month = sum(if now / 86_400 >= 20_788 { 20_788 * 86_400 } else { 0 });
            prop_assert!(month.1 <= 900 && month.2 <= 700, "{month:?}");
        }
    }

    // A client that returns after the wait is admitted, and one second earlier it is not.
    #[test]
    fn a_wait_is_exact(begins in proptest::collection::vec((0..9_u64, 1..40_u64), 1..30)) {
        let limits = ClientLimits { tokens_per_minute: Some(100), ..ClientLimits::default() };
        let mut now = 1_000;
        let accounts = Accounts::default();
        for (pause, tokens) in begins {
            now += pause;
            let amount = Amount { tokens, cost: 0 };
            if let Err(Denial::Later { wait, .. }) = accounts.reserve("a", &limits, amount, now) {
                let wait = wait.as_secs();
                prop_assert!((1..=61).contains(&wait));
                let early = now + wait - 1;
                prop_assert!(accounts.reserve("a", &limits, amount, early).is_err());
                now += wait;
                prop_assert!(accounts.reserve("a", &limits, amount, now).is_ok());
            }
        }
    }
}

#[test]
fn threads_that_begin_together_do_not_pass_a_budget() {
    let limits = ClientLimits { cost_per_day: Some(1_000), ..ClientLimits::default() };
    let accounts = Accounts::default();
    let amount = Amount { tokens: 1, cost: 30 };
    let admitted: usize = std::thread::scope(|scope| {
        let begin = || (0..50).filter(|_| accounts.reserve("a", &limits, amount, 5).is_ok()).count();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(admitted, 33);
}

#[test]
fn clients_have_separate_limits_and_a_clock_set_back_frees_nothing() {
    let limits = ClientLimits { requests_per_minute: Some(1), ..ClientLimits::default() };
    let accounts = Accounts::default();
    let none = Amount::default();
    assert!(accounts.reserve("a", &limits, none, 1_000).is_ok());
    assert!(accounts.reserve("b", &limits, none, 1_000).is_ok());
    let denial = Denial::Later { limit: LimitKind::RequestsPerMinute, wait: Duration::from_secs(61) };
    assert_eq!(accounts.reserve("a", &limits, none, 10).unwrap_err(), denial);
    assert!(accounts.reserve("a", &limits, none, 1_061).is_ok());
}

#[test]
fn a_restart_with_the_stored_use_frees_nothing() {
    let limits = ClientLimits { tokens_per_month: Some(10), ..ClientLimits::default() };
    let second = 20_784 * 86_400;
    let accounts = Accounts::default();
    let amount = Amount { tokens: 8, cost: 2 };
    assert!(accounts.reserve("a", &limits, amount, second).is_ok());
    let stored = serde_json::to_string(&accounts.usage()).unwrap();
    let restarted = Accounts::default();
    restarted.restore(&serde_json::from_str::<Vec<_>>(&stored).unwrap());
    let wait = Duration::from_mins(4 * 1_440 - 1);
    let denial = Denial::Later { limit: LimitKind::TokensPerMonth, wait };
    assert_eq!(restarted.reserve("a", &limits, amount, second + 60).unwrap_err(), denial);
    assert!(restarted.reserve("a", &limits, amount, second + 4 * 86_400).is_ok());
}

#[test]
fn a_request_that_never_fits_is_refused_for_good() {
    let amount = Amount { tokens: 101, cost: 0 };
    let denial = Accounts::default().reserve("a", &LIMITS, amount, 5).unwrap_err();
    assert_eq!(denial, Denial::TooLarge { limit: LimitKind::TokensPerMinute, needed: 101, most: 100 });
}

#[test]
fn a_killed_process_has_counted_each_reservation() {
    let limits = ClientLimits { tokens_per_month: Some(10), ..ClientLimits::default() };
    let rates = ClientLimits { requests_per_minute: Some(10), ..ClientLimits::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("usage.jsonl");
    let open = || {
        let accounts = Accounts::default();
        accounts.open(&path).unwrap();
        accounts
    };
    let (amount, second) = (Amount { tokens: 4, cost: 2 }, 20_784 * 86_400);
    for admitted in 0..4 {
        // Dropping it writes nothing.
        let accounts = open();
        let first = accounts.reserve("a", &limits, amount, second + 60 * admitted);
        assert_eq!(first.is_ok(), admitted < 2, "{first:?}");
        assert!(accounts.reserve("b", &rates, amount, second).is_ok());
        if let Ok(first) = first {
            accounts.settle(&first, Amount { tokens: 3 + admitted, cost: 1 });
        }
    }
    let usage = open().usage();
    let [a] = usage.as_slice() else { panic!("{usage:?}") };
    assert_eq!((a.month_tokens, a.day_tokens, a.month_cost), (7, 7, 2));
    // A client without a request in the newest month leaves the file.
    let accounts = open();
    assert!(accounts.reserve("c", &limits, amount, second + 5 * 86_400).is_ok());
    drop(accounts);
    drop(open());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(r#""client":"c""#) && !text.contains(r#""client":"a""#), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_request_whose_reservation_cannot_be_written_is_refused_and_not_counted() {
    use std::{fs::File, path::Path};
    let limits = ClientLimits { tokens_per_month: Some(10), ..ClientLimits::default() };
    let rates = ClientLimits { requests_per_minute: Some(2), ..ClientLimits::default() };
    let both = ClientLimits { requests_per_minute: Some(2), tokens_per_minute: Some(10), ..limits };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("usage.jsonl");
    let (accounts, amount) = (Accounts::default(), Amount { tokens: 4, cost: 2 });
    let file = accounts.open(&path).unwrap();
    let first = accounts.reserve("a", &both, amount, 5).unwrap();
    let before = accounts.usage();
    accounts.lock().open_journal(File::options().append(true), Path::new("/dev/full"));
    for _ in 0..5 {
        assert_eq!(accounts.reserve("a", &both, amount, 5).unwrap_err(), Denial::Unrecorded);
    }
    assert_eq!(accounts.usage(), before);
    // An answer that was sent counts. Requests without a budget, and answers that cost nothing, need no record.
    accounts.settle(&first, Amount { tokens: 1, cost: 1 });
    assert!(accounts.reserve("b", &rates, amount, 5).is_ok());
    assert!(accounts.reserve("c", &limits, Amount::default(), 5).is_ok());
    accounts.lock().open_journal(File::options().append(true), &path);
    assert!(accounts.reserve("a", &both, amount, 5).is_ok());
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains(r#""client":"a""#)).count(), 1, "{text}");
    assert!(text.contains(r#""month_tokens":5"#), "{text}");
    // An operator can choose that requests continue.
    accounts.lock().open_journal(File::options().append(true), Path::new("/dev/full"));
    file.answer_unrecorded();
    assert!(accounts.reserve("d", &limits, amount, 5).is_ok());
}

#[test]
fn a_file_of_the_first_version_continues() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("usage.json");
    let accounts = Accounts::default();
    let limits = ClientLimits { tokens_per_day: Some(10), ..ClientLimits::default() };
    assert!(accounts.reserve("a", &limits, Amount { tokens: 8, cost: 2 }, 86_400).is_ok());
    std::fs::write(&path, serde_json::to_string_pretty(&accounts.usage()).unwrap()).unwrap();
    for _ in 0..2 {
        let next = Accounts::default();
        assert_eq!(next.open(&path).unwrap().count_damaged_lines(), 0);
        assert_eq!(next.usage(), accounts.usage());
    }
}
