//! The filter of log events: levels by target.

use tracing::Level;

/// Levels by the beginnings of targets, the longest first, as in `info,hyper_util=trace`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Filter(Vec<(String, Option<Level>)>);

impl Filter {
    /// Creates a filter with one level for all targets.
    pub(super) fn of_level(level: Level) -> Self {
        Self(vec![(String::new(), Some(level))])
    }

    /// Parses directives that are separated by commas. A name without a level means all of its events.
    ///
    /// # Errors
    ///
    /// Fails if a level is unknown, and names it.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let directives = text.split(',').map(str::trim).filter(|directive| !directive.is_empty());
        let mut levels = Vec::new();
        for directive in directives {
            levels.push(match directive.split_once('=') {
                Some((target, level)) => (target.trim().to_owned(), parse_level(level.trim())?),
                None => match parse_level(directive) {
                    Ok(level) => (String::new(), level),
                    Err(_) => (directive.to_owned(), Some(Level::TRACE)),
                },
            });
        }
        levels.sort_by_key(|(target, _)| std::cmp::Reverse(target.len()));
        Ok(Self(levels))
    }

    /// Returns true if events of a target and a level pass.
    pub(super) fn permits(&self, target: &str, level: Level) -> bool {
        let most = self.0.iter().find(|(prefix, _)| is_below(target, prefix));
        most.and_then(|(_, most)| *most).is_some_and(|most| level <= most)
    }
}

/// Returns true if a target is a module of the given path, or the path itself.
fn is_below(target: &str, path: &str) -> bool {
    let rest = target.strip_prefix(path);
    rest.is_some_and(|rest| path.is_empty() || rest.is_empty() || rest.starts_with("::"))
}

fn parse_level(text: &str) -> anyhow::Result<Option<Level>> {
    if text.eq_ignore_ascii_case("off") {
        return Ok(None);
    }
    let level = text.parse().ok();
    level.map(Some).ok_or_else(|| {
        anyhow::anyhow!("{text:?} is not a level; the levels are off, error, warn, info, debug and trace")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_path_of_a_target_decides() {
        let filter = Filter::parse("info, hyper_util=trace,hyper_util::client = off,rmcp").unwrap();
        assert!(filter.permits("windlass", Level::INFO) && !filter.permits("windlass", Level::DEBUG));
        assert!(filter.permits("hyper_util::rt", Level::TRACE));
        assert!(!filter.permits("hyper_util::client::pool", Level::ERROR));
        assert!(filter.permits("rmcp", Level::TRACE) && !filter.permits("rmcp_other", Level::DEBUG));
        assert!(!Filter::parse("h2=debug").unwrap().permits("windlass", Level::ERROR));
        assert!(Filter::parse("h2=loud").unwrap_err().to_string().contains("loud"));
    }
}
