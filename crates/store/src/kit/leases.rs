//! The rules of leases.

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use windlass_journal::{Durability, Journal, JournalError};

use super::check::{OrRule as _, RuleResult, create, ensure, json};
use super::rule::StoreRule;
use crate::{Lease, Store, StoreError};

/// A lease that outlasts the kit.
const LONG: Duration = Duration::from_mins(10);
/// A lease that has expired when `claim` returns, in a store whose leases expire.
const EXPIRED: Duration = Duration::ZERO;
/// The longest wait for a lock that the operating system has not released yet.
const LOCK_WAIT: Duration = Duration::from_secs(20);
/// The number of threads that claim one run.
const CLAIMS: usize = 8;

fn append(journal: &mut dyn Journal) -> RuleResult<Result<u64, JournalError>> {
    Ok(journal.append(json("1")?, 0, Durability::Synced))
}

fn is_lost<T>(result: &Result<T, JournalError>) -> bool {
    matches!(result, Err(JournalError::LeaseLost { .. }))
}

/// Checks that one of many claims at once succeeds, and no further claim.
pub(super) fn check_owner(store: &Arc<dyn Store>) -> RuleResult {
    let rule = StoreRule::HasOneOwner;
    create(&**store, "kit-owner")?;
    let barrier = Arc::new(Barrier::new(CLAIMS));
    let claim = || {
        let (store, barrier) = (Arc::clone(store), Arc::clone(&barrier));
        std::thread::spawn(move || {
            barrier.wait();
            store.claim("kit-owner", LONG)
        })
    };
    let threads: Vec<_> = (0..CLAIMS).map(|_| claim()).collect();
    let claims: Vec<_> = threads.into_iter().filter_map(|thread| thread.join().ok()).collect();
    let owners = claims.iter().filter(|claim| claim.is_ok()).count();
    let refused = claims.iter().filter(|claim| matches!(claim, Err(StoreError::Busy { .. }))).count();
    ensure(owners == 1 && refused == CLAIMS - 1, rule, || {
        format!("of {CLAIMS} claims at once, {owners} succeeded and {refused} returned `Busy`")
    })?;
    let again = store.claim("kit-owner", LONG).map(drop);
    ensure(matches!(again, Err(StoreError::Busy { .. })), rule, || {
        format!("a claim of an owned run returned {again:?}")
    })?;
    let Some(Ok(lease)) = claims.into_iter().find(Result::is_ok) else { return Ok(()) };
    ensure(lease.run() == "kit-owner" && lease.fence() == 1, StoreRule::CountsClaims, || {
        format!("the first lease has the run {:?} and the number {}", lease.run(), lease.fence())
    })?;
    lease.renew().or_rule(rule, "a valid lease could not be renewed")
}

pub(super) fn check_release(store: &dyn Store) -> RuleResult {
    let rule = StoreRule::Releases;
    create(store, "kit-release")?;
    let first = store.claim("kit-release", LONG).or_rule(rule, "a free run could not be claimed")?;
    let mut journal = first.open_run_journal().or_rule(rule, "the journal could not be opened")?;
    append(&mut *journal)?.or_rule(rule, "the owner could not append")?;
    first.release().or_rule(rule, "the lease could not be released")?;
    let after = append(&mut *journal)?;
    ensure(is_lost(&after), StoreRule::RefusesFormerOwners, || {
        format!("an append after the release returned {after:?}")
    })?;
    let second = claim_when_free(store, "kit-release", rule)?;
    ensure(second.fence() == 2, StoreRule::CountsClaims, || {
        format!("the second claim has the fencing number {}", second.fence())
    })
}

/// Claims a run whose owner has ended. A process that another thread starts keeps a lock of this process until it
/// executes its program.
fn claim_when_free(store: &dyn Store, run: &str, rule: StoreRule) -> RuleResult<Arc<dyn Lease>> {
    let began = Instant::now();
    loop {
        match store.claim(run, LONG) {
            Err(StoreError::Busy { .. }) if began.elapsed() < LOCK_WAIT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            claim => return claim.or_rule(rule, "the run of a former owner could not be claimed"),
        }
    }
}

/// Checks the writes of an owner whose lease has expired. If the lease is a lock of the process, which does not expire,
/// only the claim after its end is checked.
pub(super) fn check_takeover(store: &dyn Store) -> RuleResult {
    let rule = StoreRule::RefusesFormerOwners;
    let run = "kit-takeover";
    create(store, run)?;
    let first = store.claim(run, EXPIRED).or_rule(rule, "a free run could not be claimed")?;
    let mut own = first.open_run_journal().or_rule(rule, "the journal could not be opened")?;
    let mut inner = first.open("call").or_rule(rule, "a journal could not be opened")?;
    append(&mut *own)?.or_rule(rule, "the owner could not append")?;
    append(&mut *inner)?.or_rule(rule, "the owner could not append")?;
    let message = store.push_message(run, &json("1")?).or_rule(rule, "a message could not be stored")?;
    let second = match store.claim(run, LONG) {
        Err(StoreError::Busy { .. }) => {
            drop((own, inner, first));
            let second = claim_when_free(store, run, StoreRule::HasOneOwner)?;
            return check_number(&*second);
        }
        claim => claim.or_rule(rule, "an expired run could not be claimed")?,
    };
    check_number(&*second)?;
    let refused = [
        ("append", is_lost(&append(&mut *own)?)),
        ("append of a journal inside the run", is_lost(&append(&mut *inner)?)),
        ("open_run_journal", first.open_run_journal().is_err()),
        ("open", first.open("call").is_err()),
        ("put_output", matches!(first.put_output("a", b"x"), Err(StoreError::LeaseLost { .. }))),
        ("renew", matches!(first.renew(), Err(StoreError::LeaseLost { .. }))),
        ("remove_message", matches!(first.remove_message(message), Err(StoreError::LeaseLost { .. }))),
    ];
    for (method, is_refused) in refused {
        ensure(is_refused, rule, || format!("`{method}` of a former owner was not refused"))?;
    }
    // The result does not matter, as long as the lease of the successor continues.
    drop(first.release());
    let mut journal = second.open_run_journal().or_rule(rule, "the new owner could not open the journal")?;
    let number = append(&mut *journal)?.or_rule(rule, "the release of a former owner ended the new lease")?;
    let messages = store.read_messages(run).or_rule(rule, "the messages could not be read")?.len();
    ensure(number == 1 && messages == 1, rule, || {
        format!("the next record has the number {number}, and {messages} of 1 message remain")
    })
}

fn check_number(second: &dyn Lease) -> RuleResult {
    ensure(second.fence() == 2, StoreRule::CountsClaims, || {
        format!("the second claim has the fencing number {}", second.fence())
    })
}
