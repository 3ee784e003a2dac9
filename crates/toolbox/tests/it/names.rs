//! One bijective map for all names of a run (N1 to N4, N7).

use std::collections::BTreeSet;

use proptest::prelude::*;
use windlass_protocol::{Concurrency, ToolName};
use windlass_testkit::{Need, corpora, require};
use windlass_toolbox::{BuildError, Identity, NameMap, NameMapError, Preset, ToolConfig, Toolbox};

use crate::fake::{Does, call, fake, with_schema};

fn own(name: &str) -> Identity {
    Identity::own(ToolName::new(name).unwrap())
}

fn map(names: &[&str]) -> NameMap {
    NameMap::new(names.iter().map(|name| own(name))).unwrap()
}

fn is_legal(name: &str) -> bool {
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let all = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    first && all && name.len() <= 64
}

/// Checks the shown name of the only tool.
#[track_caller]
fn check_shown(name: &str, shown: &str) {
    let map = map(&[name]);
    assert_eq!(map.display_name(name).unwrap().as_str(), shown);
    assert_eq!(map.find(shown).unwrap().as_str(), name);
}

/// Checks the tool that a written name leads to.
#[track_caller]
fn check_found(tools: &NameMap, written: &str, name: Option<&str>) {
    assert_eq!(tools.find(written).map(ToolName::as_str), name, "{written}");
}

// N1, N2
#[test]
fn legal_names_stay_and_illegal_characters_become_underscores() {
    for name in ["read_file", "get-weather", "_x", "A9", &"x".repeat(64)] {
        check_shown(name, name);
    }
    check_shown("math.factorial", "math_factorial");
    check_shown("a/b c", "a_b_c");
    check_shown("größe", "gr__e");
    check_shown("2fa", "_2fa");
    check_shown("-x", "_-x");
    check_shown("名前", "__");
}

#[test]
fn a_name_that_is_too_long_ends_in_a_hash() {
    let long = "x".repeat(65);
    let map = map(&[&long]);
    let shown = map.display_name(&long).unwrap().as_str().to_owned();
    assert!(shown.len() == 64 && shown.starts_with(&"x".repeat(55)), "{shown}");
    check_found(&map, &shown, Some(&long));
}

#[test]
fn all_members_of_a_group_that_collides_get_a_hash() {
    let map = map(&["a.b", "a_b", "a/b", "c"]);
    let shown: BTreeSet<&str> = map.iter().map(|(_, shown)| shown.as_str()).collect();
    assert_eq!(shown.len(), 4);
    for (name, shown) in map.iter() {
        assert_eq!(shown.as_str() == name.as_str(), name.as_str() == "c", "{name} {shown}");
        check_found(&map, shown.as_str(), Some(name.as_str()));
    }
    // The model did not see this name, and it may mean any of the three.
    check_found(&map, "a_b", None);
}

#[test]
fn a_name_that_equals_another_tools_hashed_name_stays_distinct() {
    let plain = map(&["a.b", "a_b"]);
    let taken = plain.display_name("a.b").unwrap().as_str().to_owned();
    let map = map(&["a.b", "a_b", &taken]);
    let shown: BTreeSet<&str> = map.iter().map(|(_, shown)| shown.as_str()).collect();
    assert!(shown.len() == 3 && shown.iter().all(|name| is_legal(name)), "{shown:?}");
    for (name, shown) in map.iter() {
        check_found(&map, shown.as_str(), Some(name.as_str()));
    }
}

// N2: a tool is identified by its server and its name, so tools of two servers never have the same shown name.
#[test]
fn server_tools_get_distinct_legal_names() {
    let identities = [
        Identity::mcp("a", "b__c"),
        Identity::mcp("a__b", "c"),
        Identity::mcp("a_", "b"),
        Identity::mcp("a", "_b"),
        Identity::mcp("s", "a\u{1}b"),
        Identity::mcp("s", &"x".repeat(400)),
        Identity::mcp("s", &"x".repeat(401)),
        Identity::mcp("", ""),
        own("mcp__a__b__d"),
    ];
    let map = NameMap::new(identities.clone()).unwrap();
    let shown: BTreeSet<&str> = map.iter().map(|(_, shown)| shown.as_str()).collect();
    assert!(shown.len() == identities.len() && shown.iter().all(|name| is_legal(name)), "{shown:?}");
    assert_eq!(map.display_name("mcp__a__b__c").unwrap().as_str(), "mcp__a__b__c");
}

// N3
#[test]
fn a_tolerant_look_up_needs_exactly_one_candidate() {
    let tools = NameMap::new([
        own("read_file"),
        Identity::mcp("git-hub", "list.issues"),
        Identity::mcp("files", "list"),
        Identity::mcp("disks", "list"),
    ])
    .unwrap();
    for written in ["read-file", "READ_FILE", "functions.read_file", "functions.read-file", "read.file"] {
        check_found(&tools, written, Some("read_file"));
    }
    for written in
        ["mcp__git-hub__list_issues", "list_issues", "git_hub__list_issues", "list.issues", "List-Issues"]
    {
        check_found(&tools, written, Some("mcp__git-hub__list.issues"));
    }
    check_found(&tools, "files__list", Some("mcp__files__list"));
    for written in ["list", "read", "file", "readfile", "issues", "my.read_file", "", "functions."] {
        check_found(&tools, written, None);
    }
}

// N4
#[test]
fn aliases_resolve_to_their_tool_and_cannot_take_a_used_name() {
    let alias = |name: &str| ToolName::new(name).unwrap();
    let tools = map(&["write_file", "math.sum"]).with_alias(alias("write_to_file"), "write_file").unwrap();
    check_found(&tools, "write_to_file", Some("write_file"));
    check_found(&tools, "Write-To-File", Some("write_file"));
    assert_eq!(tools.display_name("write_file").unwrap().as_str(), "write_file");
    for taken in ["write_file", "math_sum", "math.sum", "write_to_file"] {
        let error = tools.clone().with_alias(alias(taken), "write_file").unwrap_err();
        assert_eq!(error, NameMapError::Duplicate { name: alias(taken) });
    }
    assert!(matches!(tools.with_alias(alias("x"), "gone"), Err(NameMapError::UnknownTarget { .. })));
}

// N7
#[test]
fn two_tools_of_one_name_are_an_error() {
    let error = NameMap::new([own("a"), own("b"), own("a")]).unwrap_err();
    assert_eq!(error, NameMapError::Duplicate { name: ToolName::new("a").unwrap() });
    let twice = NameMap::new([Identity::mcp("s", "t"), Identity::mcp("s", "t")]);
    assert!(matches!(twice, Err(NameMapError::Duplicate { .. })));
}

// N1, N4: the model sees the display name, policy the registered one, and history keeps the name that the
// model wrote.
#[test]
fn a_toolbox_offers_shown_names_and_resolves_them() {
    let says = |name| fake(name, Concurrency::Parallel, Does::Says("x".into()));
    let toolbox = Toolbox::builder()
        .tool(says("math.factorial"))
        .tool_as(Identity::mcp("my server", "read/file"), says("read/file"))
        .tool(says("hidden.tool"))
        .config(ToolConfig::new(Preset::Full).remove_tool("hidden.tool"))
        .build()
        .unwrap();
    let offered: Vec<String> = toolbox.tool_specs().iter().map(|(spec, _)| spec.name().to_string()).collect();
    assert_eq!(offered, ["math_factorial", "mcp__my_server__read_file"]);
    for (written, name) in [
        ("math_factorial", "math.factorial"),
        ("math.factorial", "math.factorial"),
        ("mcp__my_server__read_file", "mcp__my server__read/file"),
        ("read_file", "mcp__my server__read/file"),
    ] {
        let checked = toolbox.check(&call(written, "{}")).ok().unwrap();
        assert_eq!((checked.name.as_str(), checked.call.name.as_str()), (name, written));
    }
    // The map is of all tools, so that a tool that is hidden now takes no display name away later.
    assert_eq!(toolbox.names().display_name("hidden.tool").unwrap().as_str(), "hidden_tool");
    let refused = toolbox.check(&call("hidden_tool", "{}")).err().unwrap();
    assert!(
        refused.wire_text().contains("math_factorial, mcp__my_server__read_file"),
        "{}",
        refused.wire_text()
    );
}

// N5
#[test]
fn one_bad_tool_of_a_server_does_not_take_the_others_with_it() {
    let bad = || with_schema("bad", r#"{"type":"object","properties":{"a":{"type":"strin"}}}"#);
    let says = |name| fake(name, Concurrency::Parallel, Does::Says("x".into()));
    let full = || ToolConfig::new(Preset::Full);
    let own = Toolbox::builder().tool(bad()).config(full()).build();
    assert!(matches!(own, Err(BuildError::Schema { .. })));
    let remote = Toolbox::builder()
        .tool_as(Identity::mcp("s", "bad"), bad())
        .tool_as(Identity::mcp("s", "good"), says("good"))
        .config(full())
        .build()
        .unwrap();
    assert_eq!(remote.tool_specs().len(), 2);
    assert_eq!(remote.schema_errors()[0].0.as_str(), "mcp__s__bad");
    assert!(remote.check(&call("mcp__s__bad", r#"{"a":1}"#)).is_ok());
    assert!(remote.check(&call("mcp__s__good", r#"{"n":"x"}"#)).is_err());
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        "[a-c._/-]{1,4}",
        "[aA][._-][bB]",
        "x{60,80}[ab]",
        "\\PC{1,12}".prop_filter("a name", |name| ToolName::new(name.as_str()).is_ok()),
    ];
    proptest::collection::btree_set(name, 1..12)
        .prop_map(|names| names.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    // N1, N2
    #[test]
    fn the_map_is_bijective_legal_and_the_same_in_any_order(names in names()) {
        let map = NameMap::new(names.iter().map(|name| own(name))).unwrap();
        let mut sorted = names.clone();
        sorted.sort();
        let other = NameMap::new(sorted.iter().map(|name| own(name))).unwrap();
        let mut seen = BTreeSet::new();
        for name in &names {
            let shown = map.display_name(name).unwrap().as_str();
            prop_assert!(is_legal(shown), "{shown}");
            prop_assert!(seen.insert(shown.to_owned()), "{shown} twice");
            prop_assert_eq!(map.find(shown).unwrap().as_str(), name);
            prop_assert_eq!(Some(shown), other.display_name(name).map(ToolName::as_str));
        }
    }

    // N3
    #[test]
    fn name_lookup_does_not_depend_on_the_order_of_tools(names in names(), written in "\\PC{0,8}") {
        let map = NameMap::new(names.iter().map(|name| own(name))).unwrap();
        let reversed = NameMap::new(names.iter().rev().map(|name| own(name))).unwrap();
        prop_assert_eq!(map.find(&written), reversed.find(&written));
    }
}

#[test]
fn names_of_the_berkeley_list_are_legal_and_go_back() {
    let (mut total, mut odd) = (0, 0);
    for file in ["BFCL_v4_simple_python.json", "BFCL_v4_multiple.json", "BFCL_v4_parallel.json"] {
        let path = require!(Need::Corpora, corpora::find(&format!("schema/BFCL/{file}")));
        for row in corpora::rows(&path) {
            let listed: BTreeSet<&str> =
                row["function"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
            let map = NameMap::new(listed.iter().map(|name| own(name))).unwrap();
            for name in listed {
                let shown = map.display_name(name).unwrap().as_str();
                assert!(is_legal(shown), "{shown}");
                assert_eq!(map.find(shown).unwrap().as_str(), name);
                assert_eq!(map.find(name).unwrap().as_str(), name, "as the model may write it all the same");
                total += 1;
                odd += usize::from(!is_legal(name));
            }
        }
    }
    println!(
        "corpus: BFCL names shown legally and found again: {total} of {total}, {odd} of them not legal as written"
    );
}
