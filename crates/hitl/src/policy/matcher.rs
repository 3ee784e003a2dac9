//! A rule made ready for judging.

use globset::Candidate;
use windlass_command::Scan;
use windlass_protocol::{Effect, ToolName};

use super::glob::{PathGlob, Reach};
use super::host::HostMatcher;
use super::{PolicyError, banned};
use crate::part::Part;
use crate::place::normal;
use crate::{Action, EffectKind, Rule, Source};

/// A rule made ready for judging.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) rule: Rule,
    pub(crate) source: Source,
    path: Option<PathGlob>,
    host: Option<HostMatcher>,
}

impl Compiled {
    /// A rule of Windlass itself: about kinds of effects only.
    pub(crate) fn builtin(rule: Rule, source: Source) -> Self {
        Self { rule, source, path: None, host: None }
    }

    /// The rule, and what about it is to be said.
    pub(crate) fn new(rule: Rule, source: Source) -> Result<(Self, Option<String>), PolicyError> {
        let path = rule.path.as_deref().map(|glob| PathGlob::new(&rule.id, glob)).transpose()?;
        let host = rule.host.as_deref().map(|host| {
            HostMatcher::parse(host)
                .ok_or_else(|| PolicyError::Host { id: rule.id.clone(), host: host.to_owned() })
        });
        let mut compiled = Self { host: host.transpose()?, path, source, rule };
        compiled.check()?;
        let warning = compiled.soften();
        Ok((compiled, warning))
    }

    /// A rule that would let every program through by the name of one asks instead.
    fn soften(&mut self) -> Option<String> {
        if self.rule.action != Action::Allow || !banned::is_open_ended(&self.rule.argv) {
            return None;
        }
        self.rule.action = Action::Ask;
        let words = self.rule.argv.join(" ");
        self.rule.reason = Some(format!("`{words}` can run anything, so a rule for it asks"));
        Some(format!("rule {}: `{words}` can run anything; the rule asks instead of allowing", self.rule.id))
    }

    /// What a rule does not hold, in words for its author: a program that nobody here knows is let through by its name
    /// alone, whatever it runs.
    pub(crate) fn note(&self) -> Option<String> {
        let allows = self.rule.action == Action::Allow && banned::is_unknown(&self.rule.argv);
        allows.then(|| {
            let words = self.rule.argv.join(" ");
            format!(
                "rule {}: `{words}` decides itself what it runs; rules that deny a program cannot see that",
                self.rule.id
            )
        })
    }

    fn check(&self) -> Result<(), PolicyError> {
        let (fits, does_not) = (&self.rule.matches, &self.rule.not_match);
        let wrong = |example: &String, fits| PolicyError::Example {
            id: self.rule.id.clone(),
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
        if !self.rule.argv.is_empty() {
            return match self.rule.action {
                Action::Allow => windlass_command::Command::parse(text)
                    .is_ok_and(|command| command.commands().iter().all(|simple| self.covers(simple.argv()))),
                Action::Deny | Action::Ask => self.is_run_by(&Scan::of(text)),
            };
        }
        if self.host.is_some() || self.rule.port.is_some() {
            let (host, port) = match text.rsplit_once(':') {
                Some((host, port)) => (host, port.parse().ok()),
                None => (text, Some(443)),
            };
            return port.is_some_and(|port| self.fits_host(host, port));
        }
        self.path.as_ref().is_some_and(|glob| glob.fits(&Candidate::new(&normal(text))))
    }

    /// Whether the rule is about this part of a call, whose path was made ready for many globs. For a rule that
    /// allows, the words of a command are not looked at here.
    pub(crate) fn fits(&self, tool: &ToolName, part: &Part<'_>, path: Option<&Candidate<'_>>) -> bool {
        self.rule.tool.as_ref().is_none_or(|wanted| wanted == tool)
            && self.rule.effect.is_none_or(|wanted| part.is(wanted))
            && self.path.as_ref().is_none_or(|glob| path.is_some_and(|path| self.fits_path(glob, part, path)))
            && self.fits_words(part)
            && self.fits_connection(&part.effect)
            && self.fits_mcp(&part.effect)
    }

    /// A rule that allows has to fit everything that the part reaches. One that denies or asks has to fit something.
    fn fits_path(&self, glob: &PathGlob, part: &Part<'_>, path: &Candidate<'_>) -> bool {
        let reaches_more = part.reaches_unlisted();
        match (self.rule.action, &part.path) {
            // What a link leads to is no name that the author of the rule has seen: it is allowed by its own name only.
            (Action::Allow, _) if reaches_more => glob.covers_tree(path),
            (Action::Allow, _) => glob.fits(path),
            (_, Some(text)) if reaches_more => {
                glob.reach(text) > Reach::None || reach_of_aliases(glob, part) > Reach::None
            }
            _ => glob.fits_or_holds(path) || reach_of_aliases(glob, part) > Reach::None,
        }
    }

    /// The plain paths with which the paths begin that the rule denies or asks about.
    pub(super) fn starts(&self) -> impl Iterator<Item = String> {
        let strict = self.path.as_ref().filter(|_| self.rule.action != Action::Allow);
        strict.into_iter().flat_map(PathGlob::starts)
    }

    /// Whether it is about this path, which a call has named.
    pub(crate) fn fits_named(&self, path: &str) -> bool {
        self.path.as_ref().is_none_or(|glob| glob.fits_or_holds(&Candidate::new(path)))
    }

    /// Whether it can refuse a path that a call of this tool comes upon.
    pub(crate) fn is_about_paths(&self, tool: &ToolName) -> bool {
        let is_file = |kind| matches!(kind, EffectKind::Read | EffectKind::Delete);
        self.rule.action != Action::Allow
            && self.path.is_some()
            && self.rule.effect.is_none_or(is_file)
            && self.rule.tool.as_ref().is_none_or(|wanted| wanted == tool)
    }

    /// Whether a rule that fits denies for sure. Where names decide that nobody has looked at, it can only ask.
    pub(crate) fn is_certain(&self, part: &Part<'_>) -> bool {
        match (&self.path, &part.path) {
            (Some(glob), Some(path)) if part.reaches_unlisted() => {
                glob.reach(path).max(reach_of_aliases(glob, part)) == Reach::Named
            }
            _ => true,
        }
    }

    fn fits_words(&self, part: &Part<'_>) -> bool {
        if self.rule.argv.is_empty() {
            return true;
        }
        let Some(reading) = &part.reading else { return false };
        self.rule.action == Action::Allow || self.is_run_by(&reading.scan)
    }

    /// Whether the program that the rule is about may run, though it is not sure that it does.
    pub(crate) fn may_be_run_by(&self, tool: &ToolName, part: &Part<'_>, scan: &Scan) -> bool {
        !self.rule.argv.is_empty()
            && self.rule.tool.as_ref().is_none_or(|wanted| wanted == tool)
            && self.rule.effect.is_none_or(|wanted| part.is(wanted))
            && scan.may_run(&self.rule.argv.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn is_run_by(&self, scan: &Scan) -> bool {
        scan.runs(&self.rule.argv.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Whether a program's words begin with the rule's; a rule without words is about every program.
    pub(crate) fn covers(&self, argv: &[String]) -> bool {
        argv.starts_with(&self.rule.argv)
    }

    fn fits_connection(&self, effect: &Effect) -> bool {
        if self.host.is_none() && self.rule.port.is_none() {
            return true;
        }
        matches!(effect, Effect::Connect { host, port } if self.fits_host(host, *port))
    }

    fn fits_host(&self, host: &str, port: u16) -> bool {
        let fits_port = match self.rule.port {
            Some(wanted) => wanted == port,
            None => self.rule.action != Action::Allow || matches!(port, 80 | 443),
        };
        fits_port && self.host.as_ref().is_none_or(|wanted| wanted.is_match(host))
    }

    fn fits_mcp(&self, effect: &Effect) -> bool {
        let wanted = [&self.rule.server, &self.rule.mcp_tool, &self.rule.fingerprint];
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

/// What a glob says about a path by the names that it has because of links.
fn reach_of_aliases(glob: &PathGlob, part: &Part<'_>) -> Reach {
    let reach = |alias: &String| glob.reach_of(alias, part.reaches_unlisted());
    part.aliases.iter().map(reach).max().unwrap_or(Reach::None)
}
