//! The cost of the files that a project can ship grows with their bytes, up to a limit.

use windlass_app::mcp::{load_servers, parse_foreign_config};
use windlass_app::policies::load_policy;
use windlass_testkit::growth::{self, MEGABYTE, Shape};

use crate::place::Place;

/// The longest configuration and the longest policy, in bytes.
const LONGEST: usize = 256 * 1024;
const CONFIG: &str = "project/.windlass/config.toml";
const POLICY: &str = "project/.windlass/policy.toml";

#[test]
fn a_configuration_of_servers_is_read_in_linear_time_up_to_its_limit() {
    let place = Place::new();
    let server = "[mcp_servers.s{n}]\ncommand = \"x\"\n";
    let many = |part: &str| Shape::repeat(format!("{server}{part}\n"));
    let within = |front: &str, part: &str, back: &str| {
        Shape::new(format!("[mcp_servers.s]\ncommand = \"x\"\n{front}"), part, format!("{back}\n"))
    };
    let shapes = [
        many(""),
        // The largest number of servers that is accepted.
        many(&format!("args = [\"{}\"]", "a".repeat(1_000))),
        many(&format!("args = [{}]", "\"./a\", ".repeat(128))),
        many(&format!(
            "env = {{ {} }}",
            (0..64).map(|at| format!("A{at} = \"b\",")).collect::<Vec<_>>().concat() + "B = \"\""
        )),
        within("args = [", "\"a{n}\", ", "]"),
        within("args = [\"", "a", "\"]"),
        within("env = { Z = \"\"", ", A{n} = \"b\"", " }"),
        within("enabled_tools = [", "\"a{n}\", ", "]"),
        within("", "a{n} = 1\n", ""),
        within("", "[mcp_servers.s.tools.t{n}]\napproval = \"always\"\n", ""),
        Shape::repeat("[mcp_servers.s{n}]\nurl = \"https://a{n}.example\"\n"),
        Shape::repeat("[mcp_server{n}]\n"),
    ];
    let shapes = [shapes.to_vec(), growth::toml_shapes()].concat();
    let test = "growth::a_configuration_of_servers_is_read_in_linear_time_up_to_its_limit";
    growth::check(test, LONGEST, &shapes, |text| {
        place.write(CONFIG, text);
        let servers = load_servers(&place.app, &place.project()).unwrap();
        assert!(servers.len() <= 256);
    });
}

#[test]
fn a_configuration_that_is_too_large_is_refused_with_its_limit() {
    let refused = |text: &str| {
        let place = Place::new();
        place.write(CONFIG, text);
        let servers = load_servers(&place.app, &place.project()).unwrap();
        (
            servers.len(),
            place.notices().iter().map(|notice| format!("{notice:?}")).collect::<Vec<_>>().concat(),
        )
    };
    let servers = |count: usize| (0..count).map(|at| format!("[mcp_servers.s{at}]\ncommand = \"x\"\n"));
    assert_eq!(refused(&servers(256).collect::<Vec<_>>().concat()).0, 256);
    let (count, told) = refused(&servers(257).collect::<Vec<_>>().concat());
    assert!(count == 0 && told.contains("it has 257 servers, at most 256 are allowed"), "{told}");
    let (count, told) =
        refused(&format!("{}#{}", servers(1).collect::<Vec<_>>().concat(), "a".repeat(LONGEST)));
    assert!(count == 0 && told.contains("bytes, at most 262144 are allowed"), "{told}");
}

#[test]
fn a_configuration_of_another_program_is_read_in_linear_time() {
    let shapes = [
        Shape::new(r#"{"mcpServers":{"z":{"command":"x"}"#, r#","a{n}":{"command":"x","args":["a"]}"#, "}}"),
        Shape::new(r#"{"mcpServers":{"z":{"command":"x"}"#, r#","a b{n}":{"url":"https://x","b":1}"#, "}}"),
        Shape::new(r#"{"mcpServers":{"z":{"command":"x","env":{"Z":"""#, r#","A{n}":"b""#, "}}}}"),
        Shape::new(r#"{"mcpServers":{"z":{"command":"x","args":[""#, r#"a",""#, r#""]}}}"#),
        Shape::repeat("// a\n"),
        Shape::repeat("/*"),
        Shape::repeat("["),
        Shape::repeat("\""),
    ];
    let test = "growth::a_configuration_of_another_program_is_read_in_linear_time";
    growth::check(test, MEGABYTE, &shapes, |text| {
        let _ = parse_foreign_config(text, false);
    });
}

#[test]
fn a_projects_policy_is_read_in_linear_time_up_to_its_limit() {
    let place = Place::new();
    let rule = "[[rule]]\nid = \"r{n}\"\naction = \"deny\"\n";
    let many = |part: &str| Shape::repeat(format!("{rule}{part}\n"));
    let within = |front: &str, part: &str, back: &str| {
        Shape::new(format!("{}{front}", rule.replace("{n}", "")), part, format!("{back}\n"))
    };
    let shapes = [
        many(""),
        many("path = \"a{n}/**\""),
        many("path = \"**/*a*b*c*{n}.{a,b}\""),
        // The largest number of rules that is accepted, each as long as the file allows.
        many(
            "argv = [\"git\", \"push\", \"a{n}\"]\nmatch = [\"git push a{n} b\"]\nnot_match = [\"git pull\"]",
        ),
        within("argv = [\"rm\"]\nmatch = [", "\"rm a\",", "]"),
        within("argv = [\"rm\"]\nmatch = [\"rm ", "a ", "\"]"),
        within("argv = [", "\"a\",", "]"),
        within("path = \"", "a/", "\""),
        within("path = \"", "{a,", "\""),
        within("host = \"", "a.", "\""),
        within("reason = \"", "a", "\""),
        Shape::repeat("[[rule]]\n"),
        Shape::repeat("[[constraint]]\nid = \"c{n}\"\neffect = \"read\"\nblocked = [\"a{n}\"]\n"),
        Shape::new("[[constraint]]\nid = \"c\"\neffect = \"read\"\nblocked = [", "\"a{n}\",", "]\n"),
    ];
    let shapes = [shapes.to_vec(), growth::toml_shapes()].concat();
    let test = "growth::a_projects_policy_is_read_in_linear_time_up_to_its_limit";
    growth::check(test, LONGEST, &shapes, |text| {
        place.write(POLICY, text);
        let policy = load_policy(&place.app, &place.project(), None).unwrap();
        let _ = policy.resolve_links();
    });
}
