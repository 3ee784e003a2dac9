//! `windlass sessions`: lists, shows, renames, exports, deletes and prunes sessions.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass_app::App;
use windlass_app::feed::FeedHeader;
use windlass_app::sessions::{ExportFormat, PageRequest, Prune, SessionRecord, Sessions, export};
use windlass_hitl::display_line;
use windlass_text::count_noun;

use crate::arguments::{FormatName, SessionsArguments, SessionsCommand};
use crate::output;

/// Number of sessions up to which a list is one page.
const MAX_PAGE: usize = 1_000;

pub(crate) fn sessions(arguments: SessionsArguments, app: &App) -> anyhow::Result<ExitCode> {
    let sessions = Sessions::new(&arguments.store.open(app)?)?;
    match arguments.command {
        SessionsCommand::List { limit, json } => {
            let records = if (1..=MAX_PAGE).contains(&limit) {
                sessions.page(&PageRequest::new(limit))?.records
            } else {
                let mut records = sessions.list()?;
                records.truncate(if limit == 0 { usize::MAX } else { limit });
                records
            };
            print_list(&records, json)?;
            let count = sessions.count()?;
            if count > records.len() && !json {
                output::note(&format!("{} of {count} sessions; --limit 0 lists all", records.len()));
            }
        }
        SessionsCommand::Show { target, json, after } => {
            let record = sessions.find(&target.session)?;
            if json {
                print_events(&sessions, &record, after)?;
            } else {
                output::print(&describe(&record, sessions.size(&record)))?;
            }
        }
        SessionsCommand::Rename { target, name, json } => {
            print_list(&[sessions.rename(&target.session, &name)?], json)?;
        }
        SessionsCommand::Export { target, format } => {
            let record = sessions.find(&target.session)?;
            let format = match format {
                FormatName::Markdown => ExportFormat::Markdown,
                FormatName::Json => ExportFormat::Json,
            };
            output::content(&export(&sessions, &record, format)?)?;
        }
        SessionsCommand::Delete { sessions: names, json } => {
            for name in names {
                print_list(&[sessions.delete(&name)?], json)?;
            }
        }
        SessionsCommand::Prune { older_than, max_size, dry_run, json } => {
            let mut prune = Prune::default();
            prune.older_than_ms = older_than.map(milliseconds);
            prune.max_bytes = max_size;
            prune.is_dry_run = dry_run;
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let pruned = sessions.prune(prune, milliseconds(now))?;
            print_list(&pruned, json)?;
            if !json {
                let verb = if dry_run { "would be deleted" } else { "deleted" };
                output::note(&format!("{} {verb}", count_noun(pruned.len(), "session")));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn print_list(records: &[SessionRecord], json: bool) -> anyhow::Result<()> {
    if json {
        return records.iter().try_for_each(output::line);
    }
    let mut text = String::new();
    for record in records {
        let _ = writeln!(
            text,
            "{}  {:<11}  {:<7}  {:<20}  {}",
            record.id,
            record.state.as_str(),
            count_noun(record.runs.len(), "run"),
            line(&record.model),
            line(&record.name)
        );
    }
    if records.is_empty() {
        text.push_str("no sessions\n");
    }
    output::print(&text)
}

fn print_events(sessions: &Sessions, record: &SessionRecord, after: Option<u64>) -> anyhow::Result<()> {
    let run = record.newest_run().map(|run| run.id.as_str()).unwrap_or_default();
    output::line(&FeedHeader::new(&record.id, run))?;
    sessions.events(record, after)?.iter().try_for_each(output::line)
}

fn line(text: &str) -> String {
    display_line(text)
}

fn describe(record: &SessionRecord, bytes: u64) -> String {
    let total = record.total();
    let mut text = format!("{}\n", line(&record.name));
    let mut field = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:<10} {}", line(value));
    };
    field("id", &record.id);
    field("state", record.state.as_str());
    field("folder", &record.root.display().to_string());
    field("model", &format!("{} ({})", record.model, record.provider));
    if let Some(mode) = &record.mode {
        field("mode", mode);
    }
    field("tokens", &total.describe());
    if total.cost > 0 {
        field("cost", &format!("{}.{:06}", total.cost / 1_000_000, total.cost % 1_000_000));
    }
    if record.open_questions > 0 {
        field("questions", &format!("{} open", record.open_questions));
    }
    if let Some(parent) = &record.forked_from {
        field("fork of", parent);
    }
    field("size", &format!("{} KiB", bytes.div_ceil(1024)));
    for run in &record.runs {
        let parent = run.parent.as_ref().map(|parent| format!(", continues {parent}")).unwrap_or_default();
        field("run", &format!("{}{parent}", run.id));
    }
    text
}
