//! `windlass policy`: explains and tests the policy's decisions about calls without running them.

mod check;
mod decider;
mod explain;
mod learned;
mod shadow;

use std::process::ExitCode;

use windlass_app::App;

use crate::arguments::{Policy, PolicyCommand};
use crate::drive::Telling;

pub(crate) fn policy(arguments: Policy, app: &App) -> anyhow::Result<ExitCode> {
    match arguments.command {
        PolicyCommand::Check { root, policy, json } => {
            check::check(app, &root, policy.as_deref(), Telling::from_flag(json))
        }
        PolicyCommand::Explain { root, policy, autonomy, file, json: _ } => {
            explain::explain(&decider::Decider::new(app, &root, policy.as_deref(), autonomy)?, &file)
        }
        PolicyCommand::Test { root, policy, autonomy, file } => {
            explain::test(&decider::Decider::new(app, &root, policy.as_deref(), autonomy)?, &file)
        }
        PolicyCommand::Learned { root, policy, revoke, json } => {
            learned::run_learned(app, &root, policy.as_deref(), revoke.as_deref(), Telling::from_flag(json))
        }
        PolicyCommand::Shadow { root, policy, journals, json } => {
            shadow::shadow(app, &root, &policy, &journals, Telling::from_flag(json))
        }
    }
}
