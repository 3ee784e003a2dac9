//! The bytes that the digest covers.

use windlass_protocol::{
    Arguments, CallId, Containment, Effect, Hints, Target, TargetKind, ToolCall, ToolName, ToolSpec,
};

use super::Binding;
use crate::{PolicyInput, RuleLink};

fn call() -> ToolCall {
    let arguments = Arguments::parse(r#"{"b":1,"a":"x"}"#).unwrap();
    ToolCall::function(CallId::new("call_1").unwrap(), ToolName::new("write_file").unwrap(), arguments)
}

fn facts() -> PolicyInput {
    let effects = vec![
        Effect::Write { path: "src/a.rs".into(), bytes: Some(7) },
        Effect::Connect { host: "example.org".into(), port: 443 },
        Effect::Internal,
    ];
    let target = Target { kind: TargetKind::File, links: 1, inode: 9, ..Target::missing("src/a.rs") };
    let containment = Containment::new("ns", vec!["no network filter".into()]);
    PolicyInput::new(ToolName::new("write_file").unwrap(), Hints::default(), &call(), effects)
        .with_sight(vec![target], Some(containment))
        .with_links(vec![RuleLink::new("pub", "private")])
}

// A stored approval applies only while this holds: change it together with the version.
#[test]
fn the_digest_of_known_facts_has_a_known_value() {
    let (facts, call) = (facts(), call());
    let spec =
        ToolSpec::function(call.name.clone(), "Writes a file.", r#"{"type":"object"}"#.parse().unwrap());
    let binding = Binding { facts: &facts, call: &call, spec: &spec, root: "/work", epoch: "e" };
    let sight = concat!(
        r#"{"containment":{"gaps":["no network filter"],"level":"ns"},"#,
        r#""effects":[{"bytes":7,"effect":"write","path":"src/a.rs"},"#,
        r#"{"effect":"connect","host":"example.org","port":443},{"effect":"internal"}],"#,
        r#""links":[{"path":"pub","resolved":"private"}],"#,
        r#""targets":[{"device":0,"digest":null,"inode":9,"kind":"file","links":1,"path":"src/a.rs","resolved":"src/a.rs"}]}"#,
    );
    assert_eq!(binding.sight(), sight);
    let digest = "00f2f37ee97000008cb7e816668e0e2e9779f6e23a8d37d57873532d294e40b0";
    assert_eq!(binding.digest().to_string(), digest);
}
