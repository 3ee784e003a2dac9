//! A rule made ready for judging.

use globset::{Candidate, GlobBuilder, GlobMatcher};
use windlass_command::Scan;
use windlass_protocol::{Effect, ToolName};

use super::host::HostMatcher;
use super::{PolicyError, banned};
use crate::part::Part;
use crate::place::normal;
use crate::{Action, EffectKind, Rule, Source};

/// A rule made ready for judging.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) id: String,
    pub(crate) source: Source,
    pub(crate) action: Action,
    pub(crate) reason: Option<String>,
    tool: Option<ToolName>,
    effect: Option<EffectKind>,
    path: Option<GlobMatcher>,
    argv: Vec<String>,
    host: Option<HostMatcher>,
    port: Option<u16>,
    server: Option<String>,
    mcp_tool: Option<String>,
    fingerprint: Option<String>,
}

impl Compiled {
    /// A rule of Windlass itself, about one kind of effect.
    pub(crate) fn builtin(id: &str, action: Action, effect: Option<EffectKind>) -> Self {
        let mut rule = Rule::new(id, action);
        rule.effect = effect;
        Self {
            id: rule.id,
            source: Source::Builtin,
            action,
            reason: None,
            tool: None,
            effect,
            path: None,
            argv: Vec::new(),
            host: None,
            port: None,
            server: None,
            mcp_tool: None,
            fingerprint: None,
        }
    }

    /// The rule, and what about it is to be said.
    pub(crate) fn new(rule: Rule, source: Source) -> Result<(Self, Option<String>), PolicyError> {
        let path = rule.path.as_deref().map(|glob| compile(&rule.id, glob)).transpose()?;
        let host = rule.host.as_deref().map(|host| {
            HostMatcher::parse(host)
                .ok_or_else(|| PolicyError::Host { id: rule.id.clone(), host: host.to_owned() })
        });
        let examples = (rule.matches, rule.not_match);
        let mut compiled = Self {
            id: rule.id,
            source,
            action: rule.action,
            reason: rule.reason,
            tool: rule.tool,
            effect: rule.effect,
            path,
            argv: rule.argv,
            host: host.transpose()?,
            port: rule.port,
            server: rule.server,
            mcp_tool: rule.mcp_tool,
            fingerprint: rule.fingerprint,
        };
        compiled.check(&examples.0, &examples.1)?;
        let warning = compiled.soften();
        Ok((compiled, warning))
    }

    /// A rule that would let every program through by the name of one asks instead.
    fn soften(&mut self) -> Option<String> {
        if self.action != Action::Allow || !banned::is_open_ended(&self.argv) {
            return None;
        }
        self.action = Action::Ask;
        let words = self.argv.join(" ");
        self.reason = Some(format!("`{words}` can run anything, so a rule for it asks"));
        Some(format!("rule {}: `{words}` can run anything; the rule asks instead of allowing", self.id))
    }

    fn check(&self, fits: &[String], does_not: &[String]) -> Result<(), PolicyError> {
        let wrong = |example: &String, fits| PolicyError::Example {
            id: self.id.clone(),
            example: example.clone(),
            fits,
        };
        if let Some(example) = fits.iter().find(|example| !self.fits_text(example)) {
            return Err(wrong(example, false));
        }
        match does_not.iter().find(|example| self.fits_text(example)) {
            Some(example) => Err(wrong(example, true)),
            None => Ok(()),
        }
    }

    /// Whether an example is one of what the rule is about: a command, a host with or without port, or a path.
    fn fits_text(&self, text: &str) -> bool {
        if !self.argv.is_empty() {
            return match self.action {
                Action::Allow => windlass_command::Command::parse(text)
                    .is_ok_and(|command| command.commands().iter().all(|simple| self.covers(simple.argv()))),
                Action::Deny | Action::Ask => self.is_run_by(&Scan::of(text)),
            };
        }
        if self.host.is_some() || self.port.is_some() {
            let (host, port) = match text.rsplit_once(':') {
                Some((host, port)) => (host, port.parse().ok()),
                None => (text, Some(443)),
            };
            return port.is_some_and(|port| self.fits_host(host, port));
        }
        self.path.as_ref().is_some_and(|glob| glob.is_match(normal(text)))
    }

    /// Whether the rule is about this part of a call, whose path was made ready for many globs. For a rule that
    /// allows, the words of a command are not looked at here.
    pub(crate) fn fits(&self, tool: &ToolName, part: &Part<'_>, path: Option<&Candidate<'_>>) -> bool {
        self.tool.as_ref().is_none_or(|wanted| wanted == tool)
            && self.effect.is_none_or(|wanted| part.is(wanted))
            && self.path.as_ref().is_none_or(|glob| path.is_some_and(|path| glob.is_match_candidate(path)))
            && self.fits_words(part)
            && self.fits_connection(&part.effect)
            && self.fits_mcp(&part.effect)
    }

    fn fits_words(&self, part: &Part<'_>) -> bool {
        if self.argv.is_empty() {
            return true;
        }
        let Some(reading) = &part.reading else { return false };
        self.action == Action::Allow || self.is_run_by(&reading.scan)
    }

    fn is_run_by(&self, scan: &Scan) -> bool {
        scan.runs(&self.argv.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Whether a program's words begin with the rule's; a rule without words is about every program.
    pub(crate) fn covers(&self, argv: &[String]) -> bool {
        argv.starts_with(&self.argv)
    }

    fn fits_connection(&self, effect: &Effect) -> bool {
        if self.host.is_none() && self.port.is_none() {
            return true;
        }
        matches!(effect, Effect::Connect { host, port } if self.fits_host(host, *port))
    }

    fn fits_host(&self, host: &str, port: u16) -> bool {
        let fits_port = match self.port {
            Some(wanted) => wanted == port,
            None => self.action != Action::Allow || matches!(port, 80 | 443),
        };
        fits_port && self.host.as_ref().is_none_or(|wanted| wanted.is_match(host))
    }

    fn fits_mcp(&self, effect: &Effect) -> bool {
        let wanted = [&self.server, &self.mcp_tool, &self.fingerprint];
        if wanted.iter().all(|word| word.is_none()) {
            return true;
        }
        let Effect::Mcp { server, tool, fingerprint, .. } = effect else { return false };
        wanted
            .into_iter()
            .zip([server, tool, fingerprint])
            .all(|(wanted, met)| wanted.as_ref().is_none_or(|wanted| wanted == met))
    }
}

pub(super) fn compile(id: &str, glob: &str) -> Result<GlobMatcher, PolicyError> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|source| PolicyError::Glob { id: id.to_owned(), glob: glob.to_owned(), source })
}
