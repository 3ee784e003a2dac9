//! Properties of path rules, compared with a model that walks a tree name by name.

use windlass_hitl::{
    Action, EffectKind, Facts, Grants, Learned, Policy, Rule, RuleFile, Source, Verdict, decide,
};
use windlass_protocol::{Arguments, CallId, Effect, Hints, Target, TargetKind, ToolCall, ToolName};

/// The names in trees and rules; few, so that they often match.
const NAMES: [&str; 4] = ["a", "b", "x.txt", "private"];
/// The patterns for one name in a rule.
const PATTERNS: [&str; 7] = ["a", "b", "x.txt", "private", "*", "**", "*.txt"];

/// A walk never returns a path that a rule denies, and returns every other path. A call that removes or reads
/// a whole tree does not run if a rule denies a path inside it.
///
/// # Panics
/// A property is violated.
pub fn path_rules(bytes: &[u8]) {
    let mut bytes = bytes.iter().copied();
    let rules: Vec<Vec<&str>> = (0..=next(&mut bytes) % 3).map(|_| words(&mut bytes, &PATTERNS)).collect();
    let files: Vec<Vec<&str>> = (0..=next(&mut bytes) % 6).map(|_| words(&mut bytes, &NAMES)).collect();
    // Every folder above a file is a path of its own.
    let places: Vec<Vec<&str>> = files
        .iter()
        .flat_map(|file| (1..=file.len()).map(|end| file.iter().take(end).copied().collect()))
        .collect();
    let is_denied = |place: &[&str]| rules.iter().any(|rule| fits(rule, place));
    let start = Effect::Read { path: ".".to_owned() };
    for kind in [EffectKind::Read, EffectKind::Delete] {
        let policy = policy(&rules, kind);
        let walk = policy.path_rules(&facts(start.clone(), Vec::new())).expect("rules about paths");
        for place in &places {
            let path = place.join("/");
            let found = match kind {
                EffectKind::Read => Effect::Read { path: path.clone() },
                _ => Effect::Delete { path: path.clone() },
            };
            assert_eq!(walk.refuse(&found), is_denied(place), "{path} of {rules:?}");
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

fn facts(effect: Effect, targets: Vec<Target>) -> Facts {
    let name = ToolName::new("walk").expect("a plain word");
    let call =
        ToolCall::function(CallId::new("c").expect("a plain word"), name.clone(), Arguments::default());
    Facts::new(name, Hints::default(), &call, vec![effect]).with_sight(targets, None)
}

fn target(path: &str) -> Target {
    Target { kind: TargetKind::File, links: 1, ..Target::missing(path) }
}

fn verdict(policy: &Policy, facts: &Facts) -> Verdict {
    decide(policy, &Grants::default(), &Learned::default(), facts).verdict
}
