//! `windlass policy check`: parses all policy files, and prints their errors, warnings and rules.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use windlass_app::policies::{add_policy_file, list_policy_files};
use windlass_app::{App, one_line, resolve_root};
use windlass_hitl::Policy;

use crate::drive::Telling;
use crate::output;

pub(crate) fn check(
    app: &App,
    root: &Path,
    policy: Option<&Path>,
    telling: Telling,
) -> anyhow::Result<ExitCode> {
    let root = resolve_root(root)?;
    let (mut all, mut is_good) = (Policy::default(), true);
    for place in list_policy_files(app, &root, policy) {
        let words = match add_policy_file(all.clone(), &place) {
            Ok(with) => {
                all = with;
                None
            }
            Err(error) => {
                is_good = false;
                Some(one_line(&error))
            }
        };
        if telling == Telling::Json {
            output::line(&json!({ "file": place.file, "source": place.source, "error": words }))?;
        } else {
            let words = words.unwrap_or_else(|| "good".to_owned());
            output::print(&format!("{}: {words}\n", place.file.display()))?;
        }
    }
    for warning in all.warnings() {
        if telling == Telling::Json {
            output::line(&json!({ "warning": warning }))?;
        } else {
            output::print(&format!("warning: {warning}\n"))?;
        }
    }
    for note in all.notes() {
        if telling == Telling::Json {
            output::line(&json!({ "note": note }))?;
        } else {
            output::print(&format!("note: {note}\n"))?;
        }
    }
    for (id, source) in all.ids() {
        if telling == Telling::Json {
            output::line(&json!({ "rule": id, "source": source }))?;
        } else {
            output::print(&format!("  {id} ({source:?})\n"))?;
        }
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
