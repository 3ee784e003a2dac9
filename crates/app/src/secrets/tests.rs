//! Values that count as secrets, and values that do not.

use secrecy::ExposeSecret;

use super::{assignment, dot_env_files, passwords, variable_secrets};

#[track_caller]
fn check(name: &str, value: &str, expected: &[&str]) {
    let found = variable_secrets(name, value);
    let found: Vec<&str> = found.iter().map(ExposeSecret::expose_secret).collect();
    assert_eq!(found, expected, "{name}={value}");
}

#[test]
fn a_variable_is_secret_by_its_name_and_its_value() {
    check("OPENAI_API_KEY", "sk-1234", &["sk-1234"]);
    check("my_db_password", "correct horse", &["correct horse"]);
    check("GITHUB_TOKEN", "ghp_abcDEF123456", &["ghp_abcDEF123456"]);
    check("HOME", "/home/me", &[]);
    // These words and numbers are in every text.
    check("SECRETS_BACKEND", "keychain", &[]);
    check("MAX_TOKENS", "100000", &[]);
    check("SSH_KEY", "/", &[]);
    check("API_KEY", "/not/there/but/a/key==", &["/not/there/but/a/key=="]);
}

#[test]
fn a_url_password_is_secret_for_any_variable_name() {
    check("DATABASE_URL", "postgres://me:p%40ss-word@db:5432/x", &["p%40ss-word"]);
    check("BROKERS", "amqp://a:first-one@b,amqp://c:second-one@d", &["first-one", "second-one"]);
    check("HTTP_PROXY", "http://proxy.test:3128", &[]);
    check("SITE", "https://example.com/a:b@c", &[]);
    assert!(passwords("no address").is_empty());
}

#[test]
fn lines_of_a_dot_env_file_are_read() {
    for (line, expected) in [
        ("A_KEY=value", Some(("A_KEY", "value"))),
        ("export A_KEY = \"quoted # value\" # comment", Some(("A_KEY", "quoted # value"))),
        ("A='x y'", Some(("A", "x y"))),
        ("A=plain # comment", Some(("A", "plain"))),
        ("# A=comment", None),
        ("nothing", None),
        ("=", None),
    ] {
        assert_eq!(assignment(line), expected, "{line}");
    }
}

#[test]
fn only_small_files_of_the_project_are_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".env"), "A_KEY=one").unwrap();
    std::fs::write(folder.path().join(".env.local"), "A_KEY=two").unwrap();
    std::fs::write(folder.path().join("env"), "A_KEY=three").unwrap();
    std::fs::write(folder.path().join(".env.large"), "x".repeat(70_000)).unwrap();
    std::fs::create_dir(folder.path().join(".env.d")).unwrap();
    let mut texts = dot_env_files(folder.path());
    texts.sort();
    assert_eq!(texts, ["A_KEY=one", "A_KEY=two"]);
}

// security 25
#[test]
fn short_names_of_secrets_count_as_whole_words() {
    check("DB_PASS", "s3cr3t-w0rd", &["s3cr3t-w0rd"]);
    check("GH_PAT", "ghp_abcDEF123456", &["ghp_abcDEF123456"]);
    check(
        "SENTRY_DSN",
        "https://0123456789abcdef@o1.ingest.example/1",
        &["https://0123456789abcdef@o1.ingest.example/1"],
    );
    check("SLACK_WEBHOOK", "https://hooks.example/T0/B0/XyZ", &["https://hooks.example/T0/B0/XyZ"]);
    check("PATH", "/usr/local/sbin:/usr/bin", &[]);
    check("PWD", "/home/me/project-1", &[]);
    check("COMPASS_VIEW", "north-1234", &[]);
    check("PASSENGERS", "north-1234", &[]);
}

// security 25
#[test]
fn a_short_dot_env_value_can_be_a_secret() {
    for (value, is_secret) in
        [("hunter", true), ("LetMeIn", true), ("true", false), ("postgres", false), ("12", false)]
    {
        assert_eq!(!super::dot_env_secrets("DB_PASS", value).is_empty(), is_secret, "{value}");
    }
    assert!(super::dot_env_secrets("DB_NAME", "hunter").is_empty());
}

// security 25
#[test]
fn dot_env_files_below_the_root_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for (place, text) in [
        ("apps/web/.env", "A_KEY=one"),
        ("apps/.env.local", "A_KEY=two"),
        ("node_modules/x/.env", "A_KEY=three"),
    ] {
        let path = folder.path().join(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    assert_eq!(dot_env_files(folder.path()), ["A_KEY=two", "A_KEY=one"]);
}
