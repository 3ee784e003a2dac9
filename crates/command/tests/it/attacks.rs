//! The command cases of the attack catalogue: the decision about the crate's answers under the rules of each
//! case.
//!
//! The policy here is the shortest one that uses the answers as they are meant: deny rules ask the scan, allow rules
//! ask the lexer and the effects, everything else asks a human. The catalogue is a file outside the project, read in
//! its place.
#![expect(clippy::disallowed_methods, reason = "the catalogue is a file outside the project")]

use serde_json::Value;
use windlass_command::{Access, Certainty, Command, Scan};
use windlass_testkit::{Need, corpora, require};

/// The verdict about a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Allow,
    Ask,
    Deny,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// The rules of a setup and of those it extends, each as (verdict, words); a rule for everything has no words.
fn rules(setups: &Value, name: &str) -> Vec<(String, Vec<String>)> {
    let setup = &setups[name];
    let mut all = setup["extends"].as_str().map(|base| rules(setups, base)).unwrap_or_default();
    for rule in setup["rules"].as_array().into_iter().flatten() {
        if rule[1] == "run_command" {
            let words =
                rule[2].as_array().into_iter().flatten().map(|word| word.as_str().unwrap().to_owned());
            all.push((rule[0].as_str().unwrap().to_owned(), words.collect()));
        }
    }
    all
}

fn decide(text: &str, folder_inside: bool, rules: &[(String, Vec<String>)]) -> Verdict {
    let scan = Scan::read(text);
    for (_, rule) in rules.iter().filter(|(verdict, _)| verdict == "deny") {
        if scan.runs(&rule.iter().map(String::as_str).collect::<Vec<_>>()) {
            return Verdict::Deny;
        }
    }
    if !folder_inside || scan.certainty() == Certainty::Partial || !scan.dangers().is_empty() {
        return Verdict::Ask;
    }
    let Ok(command) = Command::parse(text) else { return Verdict::Ask };
    let allowed =
        |argv: &[String]| rules.iter().any(|(verdict, rule)| verdict == "allow" && argv.starts_with(rule));
    let effects = command.effects();
    let outside =
        |path: &String| path.starts_with(['/', '@', '~']) || path.split('/').any(|part| part == "..");
    let reads_inside = !effects.reads().iter().any(outside);
    let covered = command.commands().iter().all(|simple| allowed(simple.argv()));
    if covered && reads_inside && effects.access() == Access::ReadOnly {
        Verdict::Allow
    } else {
        Verdict::Ask
    }
}

#[test]
fn the_command_cases_are_decided_rightly() {
    let catalogue = require!(Need::Attacks, corpora::find_attacks("attacks.json"));
    let text = std::fs::read_to_string(catalogue).unwrap();
    let catalogue: Value = serde_json::from_str(&text).unwrap();
    let (mut right, mut cases, mut controls, mut wrong) = (0_usize, 0_usize, 0_usize, Vec::new());
    for case in catalogue["attacks"].as_array().unwrap() {
        let decided = matches!(case["mode"].as_str(), Some("decide" | "prompt"));
        let (true, Some(command)) =
            (decided && case["tool"] == "run_command", case["input"]["command"].as_str())
        else {
            continue;
        };
        cases += 1;
        controls += usize::from(case["kind"] == "control");
        let rules = rules(&catalogue["setups"], case["setup"].as_str().unwrap());
        let inside = case["input"]["cwd"].is_null();
        let verdict = decide(command, inside, &rules);
        if case["accept"].as_array().unwrap().iter().any(|accepted| accepted == verdict.name()) {
            right += 1;
        } else {
            wrong.push(format!("{} {verdict:?}: {command}", case["id"]));
        }
    }
    println!("attacks: {right} of {cases} command cases decided rightly, {controls} of them controls");
    assert!(cases > 90 && wrong.is_empty(), "{wrong:#?}");
}
