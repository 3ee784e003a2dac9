//! The commands about sessions.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::store::StoreOption;

#[derive(Debug, Args)]
#[command(mut_arg("store", |store| store.global(true)))]
#[command(after_help = "Example: windlass sessions list\n\
Example: windlass sessions show last\n\
Example: windlass sessions show 1790000000-3f9a12bc --json --after 41\n\
Example: windlass sessions rename last \"the move to sqlite\"\n\
Example: windlass sessions export last --format markdown\n\
Example: windlass sessions prune --older-than 30d --dry-run\n\
Example: windlass run --continue last \"now write the changelog\"")]
pub(crate) struct SessionsArguments {
    #[command(flatten)]
    pub(crate) store: StoreOption,
    #[command(subcommand)]
    pub(crate) command: SessionsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, the one that changed last first.
    #[command(after_help = "Example: windlass sessions list --limit 20\n\
Example: windlass sessions list --json")]
    List {
        /// Maximum number of sessions; 0 lists all.
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Print a line of JSON for each session.
        #[arg(long)]
        json: bool,
    },
    /// Show a session: its runs, model, tokens, cost and open questions, or its events.
    #[command(after_help = "Example: windlass sessions show last\n\
Example: windlass sessions show last --json --after 41")]
    Show {
        #[command(flatten)]
        target: SessionTarget,
        /// Print the recorded feed of the session, a line of JSON for each event.
        #[arg(long)]
        json: bool,
        /// With --json, only the events after this number.
        #[arg(long, value_name = "SEQ", requires = "json")]
        after: Option<u64>,
    },
    /// Rename a session.
    #[command(after_help = "Example: windlass sessions rename last \"the move to sqlite\"")]
    Rename {
        #[command(flatten)]
        target: SessionTarget,
        /// The new name.
        name: String,
        /// Print the session as a line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print a session as a document.
    #[command(after_help = "Example: windlass sessions export last > session.md\n\
Example: windlass sessions export last --format json > session.json")]
    Export {
        #[command(flatten)]
        target: SessionTarget,
        /// Format of the document.
        #[arg(long, value_enum, default_value = "markdown")]
        format: FormatName,
    },
    /// Delete sessions with their records, outputs and checkpoints. Files in the workspace stay.
    #[command(after_help = "Example: windlass sessions delete 1790000000-3f9a12bc")]
    Delete {
        /// Ids of the sessions, or the beginnings of ids.
        #[arg(required = true, value_name = "SESSION")]
        sessions: Vec<String>,
        /// Print each deleted session as a line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Delete old sessions. A session that works or waits for an answer is never deleted.
    #[command(after_help = "Example: windlass sessions prune --older-than 30d\n\
Example: windlass sessions prune --max-size 2G --dry-run")]
    Prune {
        /// Delete sessions that have not changed for this time: 90m, 12h, 30d.
        #[arg(long, value_name = "TIME", value_parser = age, required_unless_present = "max_size")]
        older_than: Option<Duration>,
        /// Delete the oldest sessions until the others need at most this space: 500M, 2G.
        #[arg(long, value_name = "SIZE", value_parser = size)]
        max_size: Option<u64>,
        /// Only list the sessions that would be deleted.
        #[arg(long)]
        dry_run: bool,
        /// Print each session as a line of JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Selection of a session.
#[derive(Debug, Args)]
pub(crate) struct SessionTarget {
    /// Id of the session, the beginning of its id, or `last`.
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
}

/// Format of an exported session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// Markdown.
    Markdown,
    /// JSON.
    Json,
}

/// Parses a number with a unit.
fn parse_unit(text: &str, units: &[(char, u64)]) -> Option<u64> {
    let unit = text.chars().next_back()?.to_ascii_lowercase();
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    let number = text.get(..text.len().checked_sub(unit.len_utf8())?)?;
    number.trim().parse::<u64>().ok()?.checked_mul(*factor)
}

fn age(text: &str) -> Result<Duration, String> {
    let units = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400), ('w', 604_800)];
    parse_unit(text, &units).map(Duration::from_secs).ok_or_else(|| {
        format!("{text:?} is not a time: write a number and a unit, for example 90m, 12h, 30d or 8w")
    })
}

fn size(text: &str) -> Result<u64, String> {
    let units = [('b', 1), ('k', 1 << 10), ('m', 1 << 20), ('g', 1 << 30), ('t', 1 << 40)];
    parse_unit(text, &units)
        .ok_or_else(|| format!("{text:?} is not a size: write a number and a unit, for example 500M or 2G"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{age, size};

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(age("30d"), Ok(Duration::from_hours(30 * 24)));
        assert_eq!(age("90m"), Ok(Duration::from_mins(90)));
        assert_eq!(size("2G"), Ok(2 << 30));
        for wrong in ["", "d", "30", "x d", "1é", "99999999999999999999d", "-1d"] {
            assert!(age(wrong).is_err() && size(wrong).is_err(), "{wrong}");
        }
    }
}
