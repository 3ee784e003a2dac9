//! Compiled rules.

use globset::Candidate;
use windlass_command::Scan;
use windlass_protocol::{Effect, Payload, ToolName};

use super::arguments::ArgumentMatcher;
use super::custom::{CustomMatcher, Fit};
use super::glob::{PathGlob, Reach};
use super::host::HostMatcher;
use super::{PolicyError, banned};
use crate::part::Part;
use crate::place::normal;
use crate::{Action, EffectKind, Rule, Source};

/// Compiled form of a [`Rule`].
#[derive(Clone, Debug)]
pub(crate) struct CompiledRule {
    pub(crate) rule: Rule,
    pub(crate) source: Source,
    path: Option<PathGlob>,
    host: Option<HostMatcher>,
    custom: Option<CustomMatcher>,
    arguments: Vec<ArgumentMatcher>,
}

impl CompiledRule {
    /// Creates a built-in rule, which is compared by its tool and its kind of effect only.
    pub(crate) fn builtin(rule: Rule, source: Source) -> Self {
        Self { rule, source, path: None, host: None, custom: None, arguments: Vec::new() }
    }

    /// Compiles a rule and checks its examples. Returns the rule, and a warning for its author if it was
    /// softened.
    pub(crate) fn new(rule: Rule, source: Source) -> Result<(Self, Option<String>), PolicyError> {
        let path = rule.path.as_deref().map(|glob| PathGlob::new(&rule.id, glob)).transpose()?;
        let host = rule.host.as_deref().map(|host| {
            HostMatcher::parse(host)
                .ok_or_else(|| PolicyError::Host { id: rule.id.clone(), host: host.to_owned() })
        });
        let custom = rule.custom.clone().map(|condition| CustomMatcher::new(&rule.id, condition));
        let arguments = rule.arguments.iter().cloned();
        let arguments = arguments.map(|condition| ArgumentMatcher::new(&rule.id, condition));
        let (custom, arguments) = (custom.transpose()?, arguments.collect::<Result<_, _>>()?);
        let mut compiled = Self { host: host.transpose()?, path, custom, arguments, source, rule };
        compiled.check()?;
        let warning = compiled.soften();
        Ok((compiled, warning))
    }

    /// Turns an allow rule that would allow any program into an ask rule. Returns a warning if it did.
    fn soften(&mut self) -> Option<String> {
        if self.rule.action != Action::Allow || !banned::is_open_ended(&self.rule.argv) {
            return None;
        }
        self.rule.action = Action::Ask;
        let words = self.rule.argv.join(" ");
        self.rule.reason = Some(format!("`{words}` can run anything, so a rule for it asks"));
        Some(format!("rule {}: `{words}` can run anything; the rule asks instead of allowing", self.rule.id))
    }

    /// Returns a note for the author if the rule allows a program that is not known here, whatever that
    /// program runs.
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

    /// Returns whether an example matches the rule. The example is a command, a host with or without a port,
    /// or a path.
    fn fits_text(&self, text: &str) -> bool {
        if !self.rule.argv.is_empty() {
            return match self.rule.action {
                Action::Allow => windlass_command::Command::parse(text)
                    .is_ok_and(|command| command.commands().iter().all(|simple| self.covers(simple.argv()))),
                Action::Deny | Action::Ask => self.is_run_by(&Scan::read(text)),
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

    /// Returns whether the rule matches a part of a call. `path` is the part's path, prepared for many globs.
    /// The arguments of a command are not compared with an allow rule here; see [`covers`](Self::covers).
    pub(crate) fn fits(&self, tool: &ToolName, part: &Part<'_>, path: Option<&Candidate<'_>>) -> bool {
        self.rule.tool.as_ref().is_none_or(|wanted| wanted == tool)
            && self.rule.effect.is_none_or(|wanted| part.is(wanted))
            && self.path.as_ref().is_none_or(|glob| path.is_some_and(|path| self.fits_path(glob, part, path)))
            && self.fits_words(part)
            && self.fits_connection(&part.effect)
            && self.fits_mcp(&part.effect)
            && self.fits_custom(&part.effect)
    }

    /// Matches the path. An allow rule has to match everything that the part reaches, a deny or ask rule only
    /// some of it.
    fn fits_path(&self, glob: &PathGlob, part: &Part<'_>, path: &Candidate<'_>) -> bool {
        let reaches_more = part.reaches_unlisted();
        match (self.rule.action, &part.path) {
            // An allow rule is not matched with aliases: its author has not seen them, so a path is allowed
            // by its own name only.
            (Action::Allow, _) if reaches_more => glob.covers_tree(path),
            (Action::Allow, _) => glob.fits(path),
            (_, Some(text)) if reaches_more => {
                glob.reach(text) > Reach::None || reach_of_aliases(glob, part) > Reach::None
            }
            _ => glob.fits_or_holds(path) || reach_of_aliases(glob, part) > Reach::None,
        }
    }

    /// Returns the number of its globs.
    pub(super) fn globs(&self) -> usize {
        count_globs(&self.rule)
    }

    /// Returns the literal path prefixes of a deny or ask rule.
    pub(super) fn starts(&self) -> impl Iterator<Item = String> {
        let strict = self.path.as_ref().filter(|_| self.rule.action != Action::Allow);
        strict.into_iter().flat_map(PathGlob::starts)
    }

    /// Returns whether the rule covers a path that the call names.
    pub(crate) fn fits_named(&self, path: &str) -> bool {
        self.path.as_ref().is_none_or(|glob| glob.fits_or_holds(&Candidate::new(path)))
    }

    /// Returns whether the rule can refuse a path that a call of this tool finds while it runs.
    pub(crate) fn is_about_paths(&self, tool: &ToolName) -> bool {
        let is_file = |kind| matches!(kind, EffectKind::Read | EffectKind::Delete);
        self.rule.action != Action::Allow
            && self.path.is_some()
            && self.rule.effect.is_none_or(is_file)
            && self.rule.tool.as_ref().is_none_or(|wanted| wanted == tool)
    }

    /// Returns whether a matching deny rule matches with certainty. If the match depends on names that were
    /// not listed, or on an amount that the tool does not state, the rule can only ask.
    pub(crate) fn is_certain(&self, part: &Part<'_>) -> bool {
        if self.custom.as_ref().is_some_and(|custom| custom.fits(&part.effect) == Fit::Unknown) {
            return false;
        }
        match (&self.path, &part.path) {
            (Some(glob), Some(path)) if part.reaches_unlisted() => {
                glob.reach(path).max(reach_of_aliases(glob, part)) == Reach::Named
            }
            _ => true,
        }
    }

    /// Matches the condition about a custom effect. An unknown amount matches deny and ask rules, and never
    /// allow rules.
    fn fits_custom(&self, effect: &Effect) -> bool {
        let least = if self.rule.action == Action::Allow { Fit::Yes } else { Fit::Unknown };
        self.custom.as_ref().is_none_or(|custom| custom.fits(effect) >= least)
    }

    /// Returns whether the rule has conditions about arguments.
    pub(super) fn has_arguments(&self) -> bool {
        !self.arguments.is_empty()
    }

    /// Matches the conditions about arguments. Without a payload, none of them matches.
    pub(super) fn fits_arguments(&self, payload: Option<&Payload>) -> bool {
        let fits = |payload| self.arguments.iter().all(|argument| argument.fits(self.rule.action, payload));
        self.arguments.is_empty() || payload.is_some_and(fits)
    }

    fn fits_words(&self, part: &Part<'_>) -> bool {
        if self.rule.argv.is_empty() {
            return true;
        }
        let Some(reading) = &part.reading else { return false };
        self.rule.action == Action::Allow || self.is_run_by(&reading.scan)
    }

    /// Returns whether the command may run the program that the rule names, without certainty that it does.
    pub(crate) fn may_be_run_by(&self, tool: &ToolName, part: &Part<'_>, scan: &Scan) -> bool {
        !self.rule.argv.is_empty()
            && self.rule.tool.as_ref().is_none_or(|wanted| wanted == tool)
            && self.rule.effect.is_none_or(|wanted| part.is(wanted))
            && scan.may_run(&self.rule.argv.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn is_run_by(&self, scan: &Scan) -> bool {
        scan.runs(&self.rule.argv.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Returns whether a program's words begin with the rule's. A rule without words covers every program.
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

/// Returns the number of globs of a rule.
pub(super) fn count_globs(rule: &Rule) -> usize {
    let custom = rule.custom.as_ref().and_then(|custom| custom.target.as_ref());
    let arguments = rule.arguments.iter().filter(|argument| argument.glob.is_some()).count();
    [rule.path.is_some(), custom.is_some()]
        .map(usize::from)
        .into_iter()
        .fold(arguments, usize::saturating_add)
}

/// Matches the aliases that a path has because of links.
fn reach_of_aliases(glob: &PathGlob, part: &Part<'_>) -> Reach {
    let reach = |alias: &String| glob.reach_of(alias, part.reaches_unlisted());
    part.aliases.iter().map(reach).max().unwrap_or(Reach::None)
}
