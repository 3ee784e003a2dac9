//! The hooks of files in an agent.

use std::path::PathBuf;
use std::sync::Arc;

use windlass_sandbox::Level;
use windlass_tools_shell::Shell;

use super::people::People;
use crate::app::App;
use crate::config::{Autonomy, RunSettings};
use crate::configuration::Configuration;
use crate::error::Result;
use crate::hooks::{COMPACT, FileHooks, HookOwner, HookRun, NotifyingApprover, load_hooks};
use crate::policies::OfferingApprover;

/// Loads the hooks of files, lets the approver notify, and offers to learn. `journal` is the record of the run.
pub(super) fn prepare_hooks(
    app: &App,
    settings: &RunSettings,
    shell: &Shell,
    journal: Option<PathBuf>,
    people: &mut People,
) -> Result<Option<FileHooks>> {
    let configuration = Configuration::load(app, &settings.root, None)?;
    let mut list = load_hooks(app, &settings.root, &configuration)?;
    list.report(app);
    if shell.level() == Level::None && list.hooks.iter().any(|hook| hook.owner == HookOwner::Project) {
        app.warn("the hooks of the project do not run, because nothing confines their programs");
        list.hooks.retain(|hook| hook.owner == HookOwner::User);
    }
    let run = HookRun {
        root: settings.root.clone(),
        session: settings.session.clone(),
        transcript: journal,
        source: match settings.parent {
            Some(_) if settings.follows_compaction => COMPACT,
            Some(_) => "resume",
            None => "startup",
        },
        permission_mode: describe_autonomy(settings.autonomy),
        model: settings.provider.model.clone(),
        until_done: settings.until_done,
    };
    let may_permit = configuration.is_enabled("hooks.may_permit");
    let hooks = FileHooks::new(list, run, shell, app.notices(), may_permit);
    // Learning is off by default, so most users know it only from this offer.
    if people.human.is_some() && !people.learns && !configuration.is_enabled("learning.enabled") {
        people.approver = OfferingApprover::wrap(app, people.approver.clone());
    }
    // An approval of everything waits for no person.
    if let Some(hooks) = hooks.clone().filter(|_| people.accepts_tools) {
        people.approver = Arc::new(NotifyingApprover::new(people.approver.clone(), hooks));
    }
    Ok(hooks)
}

/// Returns the name of the autonomy as the documented contract writes it.
fn describe_autonomy(autonomy: Autonomy) -> &'static str {
    match autonomy {
        Autonomy::ReadOnly => "plan",
        Autonomy::AutoEdit => "acceptEdits",
        Autonomy::Headless => "dontAsk",
        _ => "default",
    }
}
