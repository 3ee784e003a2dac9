//! Properties of path rules, compared with a model that walks a tree name by name.

use windlass_hitl::{
    Action, ApprovalHistory, EffectKind, Grants, Policy, PolicyInput, Rule, RuleFile, Source, Verdict, decide,
};
use windlass_protocol::{Arguments, CallId, Effect, Hints, Target, TargetKind, ToolCall, ToolName};

/// The names in trees and rules; few, so that they often match.
const NAMES: [&str; 4] = ["a", "b", "x.txt", "private"];
/// The patterns for one name in a rule.
const PATTERNS: [&str; 8] = ["a", "b", "x.txt", "private", "*", "**", "*.txt", LINK];
/// The name of a link in the workspace's root folder.
const LINK: &str = "link";

/// A walk never returns a path that a rule denies by its name or by the name of a link, and returns every other path.
/// A call that removes or reads a whole tree does not run if a rule denies a path inside it.
///
/// # Panics
/// A property is violated.
pub fn path_rules(bytes: &[u8]) {
    let mut bytes = bytes.iter().copied();
    let rules: Vec<Vec<&str>> = (0..=next(&mut bytes) % 3).map(|_| words(&mut bytes, &PATTERNS)).collect();
    let files: Vec<Vec<&str>> = (0..=next(&mut bytes) % 6).map(|_| words(&mut bytes, &NAMES)).collect();
    // The tested paths are the files and all folders above them.
    let places: Vec<Vec<&str>> = files
        .iter()
        .flat_map(|file| (1..=file.len()).map(|end| file.iter().take(end).copied().collect()))
        .collect();
    let leads = places.get(next(&mut bytes) % places.len()).cloned().unwrap_or_default();
    let links = Links { names_link: rules.iter().any(|rule| rule.first() == Some(&LINK)), leads };
    let is_denied = |place: &[&str]| rules.iter().any(|rule| links.denies(rule, place));
    // A rule may also match the path's alias through a link that another rule names. Refusing such a path is
    // correct, because it is only stricter.
    let may_be_denied = |place: &[&str]| {
        let named = links.name_through_link(place).filter(|_| links.names_link);
        is_denied(place) || named.is_some_and(|named| rules.iter().any(|rule| fits(rule, &named)))
    };
    let start = Effect::Read { path: ".".to_owned() };
    for kind in [EffectKind::Read, EffectKind::Delete] {
        let policy = links.add_to_policy(policy(&rules, kind));
        let facts = |effect, seen| facts(effect, seen).with_links(policy.resolve_links());
        let walk = policy.path_rules(&facts(start.clone(), Vec::new())).expect("rules about paths");
        for place in &places {
            let path = place.join("/");
            let found = match kind {
                EffectKind::Read => Effect::Read { path: path.clone() },
                _ => Effect::Delete { path: path.clone() },
            };
            let is_refused = walk.refuse(&found);
            assert!(is_refused || !is_denied(place), "{path} of {rules:?} with {links:?} is shown");
            assert!(!is_refused || may_be_denied(place), "{path} of {rules:?} with {links:?} is refused");
            let holds = places.iter().any(|inner| inner.starts_with(place) && is_denied(inner));
            let tree = match kind {
                EffectKind::Read => Effect::ReadTree { path: path.clone() },
                _ => Effect::DeleteTree { path: path.clone() },
            };
            let unseen = verdict(&policy, &facts(tree.clone(), Vec::new()));
            assert!(
                !holds || unseen > Verdict::Allow,
                "{path} of {rules:?} with a denied name below is {unseen}"
            );
            if kind == EffectKind::Delete {
                let below =
                    places.iter().filter(|inner| inner.len() > place.len() && inner.starts_with(place));
                let seen = [place].into_iter().chain(below).map(|place| target(&place.join("/"))).collect();
                let seen = verdict(&policy, &facts(tree, seen));
                assert!(!holds || seen == Verdict::Deny, "{path} of {rules:?} is {seen}");
            }
        }
    }
}

/// The link of a workspace, and whether a rule names it.
#[derive(Debug)]
struct Links<'w> {
    names_link: bool,
    leads: Vec<&'w str>,
}

impl<'w> Links<'w> {
    /// Returns the alias of a path through the link, if the link's target contains the path.
    fn name_through_link(&self, place: &[&'w str]) -> Option<Vec<&'w str>> {
        let rest = place.strip_prefix(self.leads.as_slice())?;
        Some([LINK].into_iter().chain(rest.iter().copied()).collect())
    }

    /// Returns true if a rule matches a path, or its alias through the link if the rule begins with the link.
    fn denies(&self, rule: &[&str], place: &[&'w str]) -> bool {
        let named = self.name_through_link(place).filter(|_| rule.first() == Some(&LINK));
        fits(rule, place) || named.is_some_and(|named| fits(rule, &named))
    }

    fn add_to_policy(&self, policy: Policy) -> Policy {
        let leads = self.leads.join("/");
        policy.with_link_resolver(move |path| {
            let rest = path.strip_prefix(LINK).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            Some(rest.map_or_else(|| path.to_owned(), |rest| format!("{leads}{rest}")))
        })
    }
}

fn next(bytes: &mut impl Iterator<Item = u8>) -> usize {
    usize::from(bytes.next().unwrap_or_default())
}

fn words<'w>(bytes: &mut impl Iterator<Item = u8>, from: &[&'w str]) -> Vec<&'w str> {
    let count = 1 + next(bytes) % 4;
    (0..count).map(|_| from.get(next(bytes) % from.len()).copied().unwrap_or("a")).collect()
}

/// Returns whether a rule matches a path, by trying every number of names for each `**`. A rule that ends in
/// `**` also matches the folder before it.
fn fits(rule: &[&str], path: &[&str]) -> bool {
    let folder = match rule {
        [folder @ .., "**", "*"] | [folder @ .., "**"] if !folder.is_empty() => Some(folder),
        _ => None,
    };
    matches(rule, path) || folder.is_some_and(|folder| matches(folder, path))
}

fn matches(rule: &[&str], path: &[&str]) -> bool {
    match (rule, path) {
        ([], []) => true,
        // A final `**` matches at least one name.
        (["**"], path) => !path.is_empty(),
        (["**", rest @ ..], path) => {
            (0..=path.len()).any(|skip| matches(rest, path.get(skip..).unwrap_or_default()))
        }
        ([pattern, rest @ ..], [name, after @ ..]) => {
            let is_one = match *pattern {
                "*" => true,
                "*.txt" => name.strip_suffix(".txt").is_some(),
                plain => plain == *name,
            };
            is_one && matches(rest, after)
        }
        _ => false,
    }
}

fn policy(rules: &[Vec<&str>], kind: EffectKind) -> Policy {
    let mut file = RuleFile::default();
    for (at, rule) in rules.iter().enumerate() {
        let id = format!("r{at}");
        file.rules.push(Rule::new(id, Action::Deny).with_effect(kind).with_path(rule.join("/")));
    }
    file.rules.push(Rule::new("all", Action::Allow));
    Policy::default().with_file(Source::User, file).expect("globs of plain names")
}

fn facts(effect: Effect, targets: Vec<Target>) -> PolicyInput {
    let name = ToolName::new("walk").expect("a plain word");
    let call =
        ToolCall::function(CallId::new("c").expect("a plain word"), name.clone(), Arguments::default());
    PolicyInput::new(name, Hints::default(), &call, vec![effect]).with_sight(targets, None)
}

fn target(path: &str) -> Target {
    Target { kind: TargetKind::File, links: 1, ..Target::missing(path) }
}

fn verdict(policy: &Policy, facts: &PolicyInput) -> Verdict {
    decide(policy, &Grants::default(), &ApprovalHistory::default(), facts).verdict
}
