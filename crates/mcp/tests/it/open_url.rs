//! Addresses that a server wants opened (case MCP-023).

use windlass_mcp::OpenUrl;

#[track_caller]
fn check(text: &str, opened: Option<&str>) {
    let met = OpenUrl::parse(text);
    assert_eq!(met.as_ref().ok().map(OpenUrl::as_argument), opened, "{text}: {met:?}");
}

#[test]
fn only_plain_http_addresses_are_opened() {
    check("https://example.com/a?b=c&d=%20#e", Some("https://example.com/a?b=c&d=%20#e"));
    check("http://localhost:8080", Some("http://localhost:8080/"));
    for refused in [
        "http://x/$(touch /tmp/pwned)",
        "http://x/$(id)",
        "http://x/`id`",
        "http://x/';id;'",
        "http://x/\u{202e}a",
        "http://x/\na",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "-https://x",
        "--new-window=https://x",
        "https://user@x/",
        "https://user:word@x/",
        "https://",
        "",
    ] {
        check(refused, None);
    }
    check(&format!("https://x/{}", "a".repeat(9_000)), None);
}
