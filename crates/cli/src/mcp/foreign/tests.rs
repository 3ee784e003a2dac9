//! Other clients' files.

use super::read;
use crate::mcp::config;

#[track_caller]
fn check(json: &str, expected: &str, notes: &[&str]) {
    let import = read(json, false).unwrap();
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
        &["no name here"],
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
    let all = read(r#"{"mcpServers": {"a": {"command": "a", "env": {"A_KEY": "0123456789abcdef"}}}}"#, true)
        .unwrap();
    assert_eq!(all.entries["a"].env["A_KEY"], "0123456789abcdef");
}

#[test]
fn what_cannot_be_a_server_is_left_out_and_said() {
    let import = read(r#"{"mcpServers": {"a": 7, "b": {}, "c": {"command": "c"}}}"#, false).unwrap();
    assert_eq!(import.entries.keys().collect::<Vec<_>>(), ["c"]);
    assert!(
        import.notes[0].contains("no object") && import.notes[1].contains("neither"),
        "{:?}",
        import.notes
    );
    assert!(read("[]", false).unwrap_err().to_string().contains("neither `mcpServers`"));
    assert!(read("{", false).is_err());
    for hostile in
        ["\"", "{\"a\": \"\\", "/*", "//", "{\"mcpServers\": {\"a\": {\"args\": 1, \"env\": []}}}", "é/é\"é"]
    {
        drop(read(hostile, true));
    }
}
