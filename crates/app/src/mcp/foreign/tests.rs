//! Other clients' files.

use super::parse_foreign_config;
use crate::mcp::config;

#[track_caller]
fn check(json: &str, expected: &str, notes: &[&str]) {
    let import = parse_foreign_config(json, false).unwrap();
    let toml =
        toml::to_string(&std::collections::BTreeMap::from([("mcp_servers", &import.entries)])).unwrap();
    assert_eq!(toml.trim(), expected.trim());
    assert_eq!(config::parse(&toml).unwrap(), import.entries);
    assert_eq!(import.notes.len(), notes.len(), "{:?}", import.notes);
    for (met, wanted) in import.notes.iter().zip(notes) {
        assert!(met.contains(wanted), "{met} has not {wanted}");
    }
}

#[test]
fn both_common_shapes_are_read_with_comments() {
    check(
        r#"{"mcpServers": {"files": {"command": "npx", "args": ["-y", "server", "/a b"], "disabled": true}}}"#,
        "[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"server\", \"/a b\"]\nenabled = false",
        &[],
    );
    check(
        "{ // editors\n\"servers\": {\"web\": {\"type\": \"http\", \"url\": \"https://x/mcp//a\", /* here */ \"timeout\": 30000,},}}",
        "[mcp_servers.web]\nurl = \"https://x/mcp//a\"\ntool_timeout_sec = 30.0",
        &[],
    );
    check(
        r#"{"mcp": {"servers": {"a b": {"command": "x", "cwd": "sub", "disabledTools": ["y"]}}}}"#,
        "[mcp_servers.a-b]\ncommand = \"x\"\ncwd = \"sub\"\ndisabled_tools = [\"y\"]",
        &["not valid here"],
    );
}

// SECURITY "Secrets and output"
#[test]
fn secrets_are_pointed_out_and_not_copied() {
    check(
        r#"{"mcpServers": {"hub": {"command": "hub", "env": {"HUB_TOKEN": "ghp_0123456789abcdef", "LEVEL": "2",
            "KEY_FILE": "${input:key}"}, "alwaysAllow": ["x"]}}}"#,
        "[mcp_servers.hub]\ncommand = \"hub\"\nenv_vars = [\"HUB_TOKEN\", \"KEY_FILE\"]\n\n[mcp_servers.hub.env]\nLEVEL = \"2\"",
        &[
            "HUB_TOKEN looks like a secret",
            "KEY_FILE from your environment",
            "`alwaysAllow` is not carried over",
        ],
    );
    check(
        r#"{"mcpServers": {"hub": {"type": "sse", "url": "https://x", "headers": {"Authorization": "Bearer abc",
            "X-Api-Key": "0123456789abcdef", "X-Team": "red"}}}}"#,
        "[mcp_servers.hub]\nurl = \"https://x\"\nbearer_token_env_var = \"HUB_TOKEN\"\n\n[mcp_servers.hub.http_headers]\n\
         X-Team = \"red\"\n\n[mcp_servers.hub.env_http_headers]\nX-Api-Key = \"HUB_X_API_KEY\"",
        &["set HUB_TOKEN", "set HUB_X_API_KEY", "older HTTP+SSE"],
    );
    let all = parse_foreign_config(
        r#"{"mcpServers": {"a": {"command": "a", "env": {"A_KEY": "0123456789abcdef"}}}}"#,
        true,
    )
    .unwrap();
    assert_eq!(all.entries["a"].env["A_KEY"], "0123456789abcdef");
}

#[test]
fn invalid_server_entries_are_skipped_and_reported() {
    let import =
        parse_foreign_config(r#"{"mcpServers": {"a": 7, "b": {}, "c": {"command": "c"}}}"#, false).unwrap();
    assert_eq!(import.entries.keys().collect::<Vec<_>>(), ["c"]);
    assert!(
        import.notes[0].contains("no object") && import.notes[1].contains("neither"),
        "{:?}",
        import.notes
    );
    assert!(parse_foreign_config("[]", false).unwrap_err().to_string().contains("neither `mcpServers`"));
    assert!(parse_foreign_config("{", false).is_err());
    for hostile in
        ["\"", "{\"a\": \"\\", "/*", "//", "{\"mcpServers\": {\"a\": {\"args\": 1, \"env\": []}}}", "é/é\"é"]
    {
        drop(parse_foreign_config(hostile, true));
    }
}

// correctness-2 6
#[test]
fn a_limit_up_to_an_hour_is_seconds_which_is_noted_and_a_longer_one_milliseconds() {
    for (timeout, seconds, notes) in [
        ("1800", 1800.0, 1),
        ("3600", 3600.0, 1),
        ("600", 600.0, 1),
        ("60000", 60.0, 0),
        ("3600001", 3600.001, 0),
    ] {
        let json = format!(r#"{{"mcpServers": {{"a": {{"command": "ls", "timeout": {timeout}}}}}}}"#);
        let import = parse_foreign_config(&json, false).unwrap();
        assert_eq!(import.entries["a"].tool_timeout_sec, Some(seconds), "{timeout}");
        assert_eq!(
            import.notes.iter().filter(|note| note.contains("as seconds")).count(),
            notes,
            "{timeout}"
        );
    }
}

// correctness-2 18
#[test]
fn a_variable_is_handed_on_under_its_own_name_or_not_at_all() {
    let json = r#"{"mcpServers": {"a": {"command": "a", "env": {"GITHUB_TOKEN": "${env:MY_OTHER_TOKEN}",
        "HOME_URL": "${HOME_URL}", "MODE": "${MODE:-fast}", "BOTH": "${A}${B}", "WITH": "x-${WITH}"}}}}"#;
    let import = parse_foreign_config(json, false).unwrap();
    assert_eq!(import.entries["a"].env_vars, ["HOME_URL", "MODE"]);
    assert!(import.entries["a"].env.is_empty());
    let said = |words: &str| import.notes.iter().any(|note| note.contains(words));
    assert!(said("GITHUB_TOKEN is left out") && said("MY_OTHER_TOKEN"), "{:?}", import.notes);
    assert!(said("BOTH is left out") && said("WITH is left out"), "{:?}", import.notes);
}

// correctness-2 19, and the suspicion of two servers with one variable
#[test]
fn a_byte_order_mark_is_skipped_and_no_two_servers_share_a_variable() {
    let json = "\u{feff}{\"mcpServers\": {\"a-b\": {\"url\": \"https://x\", \"headers\": {\"Authorization\": \"Bearer 1\"}},
        \"a_b\": {\"url\": \"https://y\", \"headers\": {\"Authorization\": \"Bearer 2\"}}}}";
    let import = parse_foreign_config(json, false).unwrap();
    let variable = |name: &str| import.entries[name].bearer_token_env_var.clone().unwrap();
    assert_eq!((variable("a-b").as_str(), variable("a_b").as_str()), ("A_B_TOKEN", "A_B_TOKEN_2"));
}
