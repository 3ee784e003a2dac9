//! Tests of the end of `windlass proxy --file`.

use anyhow::anyhow;

use super::join_errors;

#[test]
fn the_errors_of_the_server_and_of_the_budgets_are_both_reported() {
    let end = || anyhow!("no descriptors").context("connections can no longer be accepted");
    let stored = || anyhow!("the disk is full").context("usage.json cannot be written");
    let joined = join_errors(Err(end()), Err(stored())).unwrap_err();
    assert_eq!(
        format!("{joined:#}"),
        "usage.json cannot be written: the disk is full; the server has failed as well: connections can no longer be \
         accepted: no descriptors"
    );
    assert_eq!(join_errors(Err(end()), Ok(())).unwrap_err().to_string(), end().to_string());
    assert_eq!(join_errors(Ok(()), Err(stored())).unwrap_err().to_string(), stored().to_string());
    assert!(join_errors(Ok(()), Ok(())).is_ok());
}
