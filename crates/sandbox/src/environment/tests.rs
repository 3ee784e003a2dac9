//! The variables that a child process receives.

use super::*;

#[track_caller]
fn check(environment: &ChildEnvironment, name: &str, value: &str, expected: Option<&str>) {
    let met = environment.from_host([(OsString::from(name), OsString::from(value))]);
    let met = met.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.to_str());
    assert_eq!(met, expected, "{name}");
}

// Q2
#[test]
fn only_listed_names_reach_a_child() {
    let short = ChildEnvironment::new();
    for name in ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TERM"] {
        check(&short, name, "x", Some("x"));
    }
    for name in ["EDITOR", "path", "PATHX", "RUST_LOG", "OPENAI_API_KEY", "LC_API_KEY", ""] {
        check(&short, name, "x", None);
    }
    check(&ChildEnvironment::new().with_name("RUST_LOG"), "RUST_LOG", "x", Some("x"));
}

#[test]
fn a_grant_by_name_excludes_secret_variables() {
    let names = [
        "OPENAI_API_KEY",
        "github_token",
        "MY_SECRET",
        "DB_PASSWORD",
        "AWS_PROFILE",
        "SSH_AUTH_SOCK",
        "GOOGLE_CREDENTIALS",
        "LD_PRELOAD",
        "BASH_ENV",
        "BASH_FUNC_ls%%",
    ];
    for name in names {
        check(&ChildEnvironment::new().with_name(name), name, "x", None);
    }
}

#[test]
fn a_proxy_passes_without_a_user_only() {
    let granted = ChildEnvironment::new().with_name("HTTPS_PROXY").with_name("http_proxy");
    check(&granted, "HTTPS_PROXY", "http://proxy:3128", Some("http://proxy:3128"));
    check(&granted, "HTTPS_PROXY", "http://me:secret@proxy:3128", None);
    check(&granted, "http_proxy", "http://me@proxy:3128", None);
}

#[test]
fn a_set_value_overrides_the_hosts_and_occurs_once() {
    let set = ChildEnvironment::new().with_value("TERM", "vt100").with_value("TERM", "dumb");
    check(&set, "TERM", "xterm", Some("dumb"));
    check(&set, "PAGER", "less", None);
    assert_eq!(set.from_host([("TERM".into(), "xterm".into())]).len(), 1);
}
