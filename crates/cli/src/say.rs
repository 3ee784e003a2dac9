//! `windlass say`: stores a message for a run that works in another process or will be resumed.

use std::process::ExitCode;

use windlass_agent::DeliverAt;
use windlass_app::runs::leave_message;
use windlass_app::{App, Task};

use crate::arguments::Say;
use crate::named_run::find_named_run;
use crate::output;

pub(crate) fn say(arguments: &Say, app: &App) -> anyhow::Result<ExitCode> {
    let app = arguments.store.open(app)?;
    let folder = find_named_run(&app, &arguments.run)?;
    let when = if arguments.after { DeliverAt::AfterTask } else { DeliverAt::NextTurn };
    let message = arguments.file.iter().try_fold(Task::new(&arguments.words), Task::attach_file)?;
    leave_message(&folder, message, when)?;
    output::note("stored; the run receives it at its next turn, or when it is resumed");
    Ok(ExitCode::SUCCESS)
}
