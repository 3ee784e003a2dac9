//! The people of a run, as the options of the command line and the terminal select them.

use std::path::Path;

use windlass_app::App;
use windlass_app::assembly::People;

use crate::arguments::Approval;
use crate::terminal::{SayNo, Terminal};

/// Chooses the approver by the options: a folder, `--yes`, `--deny`, or the terminal. Without any of them,
/// questions stay open and the run is suspended.
pub(crate) fn choose_people(app: &App, approval: &Approval, root: &Path) -> anyhow::Result<People> {
    #[cfg(unix)]
    if let Some(folder) = &approval.approve_in {
        return Ok(People::in_folder(app, folder, root)?);
    }
    #[cfg(not(unix))]
    let _ = (app, root);
    if approval.yes {
        return Ok(People::approve_all());
    }
    if approval.deny {
        return Ok(People::new(SayNo).with_window("option --deny"));
    }
    if !approval.suspend && (approval.ask || Terminal::is_there()) {
        let terminal = Terminal::new();
        let people = People::new(terminal.clone()).with_human(terminal).with_window("terminal");
        return Ok(people.with_learning(approval.learn));
    }
    Ok(People::suspend())
}
