//! The engine against a naive reference (SECURITY "Policy engine").

use proptest::prelude::*;
use windlass_hitl::{Action, Constraint, EffectKind, Rule, RuleFile, Source, Verdict};
use windlass_protocol::Effect;

use crate::decide::facts;
use crate::properties::{HOSTS, PATHS, cases, kind, of, policy, rules};

/// Decides in the order of SECURITY by brute force, for paths and hosts that need no resolving: for each effect the
/// verdict of the earliest stage that has one, and of all effects the most severe. It shares no code with the engine.
fn reference(rules: &[Rule], fence: Option<&Constraint>, effects: &[Effect]) -> Verdict {
    let named = |effect: &Effect| effect.path().map(str::to_owned);
    let is_kind = |kind: EffectKind, effect: &Effect| format!("{kind:?}").to_lowercase() == effect.kind();
    let glob = |glob: &str, path: &str| match glob {
        "**" => true,
        "src/**" => path.starts_with("src/"),
        "*.md" => !path.contains('/') && path.strip_suffix(".md").is_some(),
        ".*" => !path.contains('/') && path.starts_with('.'),
        plain => plain == path,
    };
    let fits = |rule: &Rule, effect: &Effect| {
        rule.effect.is_none_or(|kind| is_kind(kind, effect))
            && rule.path.as_ref().is_none_or(|wanted| named(effect).is_some_and(|path| glob(wanted, &path)))
            && rule.host.as_ref().is_none_or(|wanted| match effect {
                Effect::Connect { host, port } => {
                    let below =
                        wanted.strip_prefix("*").map(|end| host.ends_with(end) && host.len() > end.len());
                    below.unwrap_or(host == wanted)
                        && (rule.action != Action::Allow || *port == 80 || *port == 443)
                }
                _ => false,
            })
            && rule.argv.is_empty()
            && rule.server.is_none()
    };
    let one = |effect: &Effect| {
        let path = named(effect).unwrap_or_default();
        let is_read = matches!(effect, Effect::Read { .. });
        let by = |action| rules.iter().any(|rule| rule.action == action && fits(rule, effect));
        let is_fenced = fence.is_some_and(|fence| is_kind(fence.effect, effect) && !path.is_empty());
        let stages = [
            (path == "NUL" && !is_read, Verdict::Deny),
            (path.starts_with("../") || path.starts_with('/'), Verdict::Deny),
            (path.starts_with(".windlass") && !is_read, Verdict::Deny),
            (
                matches!(effect, Effect::Connect { host, .. } if host == "127.0.0.1" || host == "localhost"),
                Verdict::Deny,
            ),
            (by(Action::Deny), Verdict::Deny),
            (is_fenced && !path.starts_with("src/"), Verdict::Deny),
            (by(Action::Ask), Verdict::Ask),
            (path.starts_with(".git") && !is_read || path == ".env", Verdict::Ask),
            (by(Action::Allow) || is_read || *effect == Effect::Internal, Verdict::Allow),
        ];
        stages.iter().find(|(holds, _)| *holds).map_or(Verdict::Ask, |(_, verdict)| *verdict)
    };
    effects.iter().map(one).max().unwrap_or(Verdict::Ask)
}

fn plain_effect() -> impl Strategy<Value = Effect> {
    let path = || prop::sample::select(PATHS.to_vec()).prop_map(str::to_owned);
    let host = prop::sample::select(HOSTS.to_vec()).prop_map(str::to_owned);
    prop_oneof![
        path().prop_map(|path| Effect::Read { path }),
        path().prop_map(|path| Effect::Write { path, bytes: None }),
        path().prop_map(|path| Effect::Delete { path }),
        (host, prop::sample::select(vec![22, 80, 443]))
            .prop_map(|(host, port)| Effect::Connect { host, port }),
        Just(Effect::Internal),
    ]
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_engine_agrees_with_a_naive_reference(
        rules in rules(),
        fenced in prop::option::of(kind()),
        effects in prop::collection::vec(plain_effect(), 1..4),
    ) {
        let rules: Vec<Rule> = rules
            .into_iter()
            .enumerate()
            .map(|(at, mut rule)| {
                (rule.id, rule.tool) = (format!("r{at}"), None);
                rule
            })
            .filter(|rule| rule.argv.is_empty() && rule.server.is_none())
            .collect();
        let fence = fenced.map(|kind| Constraint::new("fence", kind, vec!["src/**".into()]));
        let mut policy = policy(&rules, Source::User);
        if let Some(fence) = &fence {
            let mut file = RuleFile::default();
            file.constraints.push(fence.clone());
            policy = policy.with_file(Source::User, file).unwrap();
        }
        let decision = of(&policy, &facts("tool", effects.clone()));
        prop_assert_eq!(decision.verdict, reference(&rules, fence.as_ref(), &effects), "{:?}", decision);
    }
}
