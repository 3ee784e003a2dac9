//! Tests of the configuration file.

use std::time::Duration;

use super::ProxyFile;

const UPSTREAMS: &str =
    "[upstreams.a]\nprovider = \"anthropic\"\n[upstreams.b]\nbase_url = \"http://localhost:1/v1\"\n";

#[test]
fn a_file_without_optional_parts_has_the_only_upstream_as_its_default() {
    let file = ProxyFile::parse("[upstreams.only]\nprovider = \"ollama\"").unwrap();
    assert_eq!(file.default_upstream().unwrap(), "only");
}

#[test]
fn budgets_and_limits_are_read() {
    let text = format!(
        "default = \"b\"\nclient_keys = \"keys.json\"\n{UPSTREAMS}[clients.laptop.limits]\ncost_per_month = \"20\"\n\
         [limits]\nbody_seconds = 7\n"
    );
    let file = ProxyFile::parse(&text).unwrap();
    assert_eq!(file.clients["laptop"].limits.cost_per_month, Some(20_000_000));
    assert_eq!(file.serve_options().body_timeout.as_secs(), 7);
}

#[test]
fn a_cache_is_off_unless_its_table_exists() {
    let base = "[upstreams.only]\nprovider = \"ollama\"\n";
    assert_eq!(ProxyFile::parse(base).unwrap().cache, None);
    let file = ProxyFile::parse(&format!("{base}[cache]\nbytes = 1000\nseconds = 60\n")).unwrap();
    let options = file.cache.unwrap().options();
    assert_eq!((options.bytes, options.lifetime.as_secs(), options.with_tools), (1000, 60, false));
}

#[test]
fn an_alias_is_one_model_or_stages_of_weights() {
    let text = format!(
        "default = \"a\"\n[aliases]\none = \"a/org/m\"\nmany = [{{ \"a/m\" = 2, \"b/m\" = 1 }}, \"b/small\"]\n{UPSTREAMS}"
    );
    let file = ProxyFile::parse(&text).unwrap();
    assert_eq!(file.aliases["one"].to_string(), "a/org/m");
    assert_eq!(file.aliases["many"].to_string(), "a/m (weight 2) and b/m (weight 1), then b/small");
}

#[test]
fn each_mistake_is_named() {
    let mistakes = [
        ("", "no upstream is configured"),
        (UPSTREAMS, "`default` must name one of the upstreams"),
        ("default = \"c\"\n", "the upstream \"c\" does not exist; the upstreams are a, b"),
        ("defaults = \"a\"\n", "unknown field `defaults`"),
        ("default = \"a\"\n[clients.x]\nlimit = 3\n", "unknown field `limit`"),
        ("default = \"a\"\n[clients.x.limits]\ncost_per_day = \"much\"\n", "\"much\" is not an amount"),
        (
            "default = \"a\"\n[clients.x.limits]\nrequest_per_minute = 1\n",
            "unknown field `request_per_minute`",
        ),
        ("default = \"a\"\n[clients.x]\n", "`clients` needs `client_keys`"),
        ("default = \"a\"\n[aliases]\nfast = \"gpt\"\n", "\"gpt\" is not UPSTREAM/MODEL"),
        ("default = \"a\"\n[aliases]\nfast = \"d/gpt\"\n", "the upstream \"d\" does not exist"),
        (
            "default = \"a\"\nsocket = \"s\"\nlisten = \"127.0.0.1:0\"\n",
            "`socket` excludes `listen` and `tls`",
        ),
        ("default = \"a\"\n[tls]\ncertificate = \"c.pem\"\n", "missing field `key`"),
        ("default = \"a\"\nstrict = true\nlenient = true\n", "`strict` excludes `lenient`"),
        ("default = \"a\"\n[log]\nsample = 1.5\n", "`log.sample` is not between 0 and 1"),
        ("default = \"a\"\n[cache]\nsize = 1\n", "unknown field `size`"),
        ("default = \"a\"\n[state]\nrows = 1\n", "unknown field `rows`"),
        ("default = \"a\"\nno_store = true\n[state]\nhours = 1\n", "`no_store` excludes `state`"),
        ("default = \"a\"\n[aliases]\nfast = []\n", "an alias without a model"),
        ("default = \"a\"\n[aliases]\nfast = [{ \"a/m\" = 0 }]\n", "not a positive number"),
        ("default = \"a\"\n[aliases]\nfast = [7]\n", "UPSTREAM/MODEL or a table of weights"),
        (
            "default = \"a\"\n[upstreams.c]\nbase_url = \"x\"\nwire = \"smoke\"\n",
            "\"smoke\" is not a wire format",
        ),
        ("default = \"a\"\n[upstreams.c]\nmodels = [\"m\"]\n", "neither `provider` nor `base_url`"),
        (
            "default = \"a\"\n[upstreams.c]\nprovider = \"groq\"\nkey_env = \"K\"\nkey_command = [\"pass\"]\n",
            "both `key_env` and `key_command`",
        ),
        (
            "default = \"a\"\n[aliases]\nm = \"a/x\"\n[upstreams.c]\nprovider = \"groq\"\nmodels = [\"m\"]\n",
            "the alias \"m\" is a model of an upstream, too",
        ),
    ];
    for (text, words) in mistakes {
        let whole = match text {
            "" => String::new(),
            UPSTREAMS => UPSTREAMS.to_owned(),
            text => format!("{text}{UPSTREAMS}"),
        };
        let error = format!("{:#}", ProxyFile::parse(&whole).unwrap_err());
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn the_store_has_its_limits_and_a_file_beside_the_configuration() {
    let base = "default = \"a\"\n[upstreams.a]\nbase_url = \"http://127.0.0.1:1\"\nwire = \"openai-chat\"\n";
    let limits = ProxyFile::parse(&format!("{base}[state]\nhours = 2\nclient_values = 7\nbytes = 9000\n"));
    let limits = limits.unwrap().state.unwrap().limits();
    assert_eq!((limits.idle, limits.owner_values, limits.bytes), (Duration::from_hours(2), 7, 9000));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proxy.toml");
    std::fs::write(&path, format!("{base}[state]\nfile = \"responses.db\"\n")).unwrap();
    let read = ProxyFile::read(&path);
    if cfg!(feature = "sqlite") {
        let file = read.unwrap().state.unwrap().file;
        assert_eq!(file, Some(folder.path().join("responses.db")));
    } else {
        let error = format!("{:#}", read.unwrap_err());
        assert!(error.contains("a build with the feature `sqlite`"), "{error}");
    }
    assert!(!folder.path().join("responses.db").exists());
}

/// A file of records that replaces the keys of clients would lock them out.
#[test]
fn one_path_is_one_file() {
    let base = "default = \"a\"\n[upstreams.a]\nbase_url = \"http://127.0.0.1:1\"\nwire = \"openai-chat\"\n";
    let error = |paths: &str| ProxyFile::parse(&format!("{paths}\n{base}")).unwrap_err().to_string();
    for paths in [
        "client_keys = \"keys.json\"\nusage_file = \"keys.json\"",
        "usage_file = \"a.jsonl\"\nstored_ids_file = \"a.jsonl\"",
        "stored_ids_file = \"a.jsonl\"\nlog = { file = \"a.jsonl\" }",
    ] {
        assert!(error(paths).contains("must be different files"), "{paths}");
    }
}

#[test]
fn the_example_of_the_guide_is_valid() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/src/gateway-operations.md");
    let page = std::fs::read_to_string(page).unwrap();
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let file = ProxyFile::parse(example).unwrap();
    assert_eq!((file.upstreams.len(), file.aliases.len(), file.clients.len()), (3, 2, 1));
    assert!(file.cache.is_some() && file.log.sample == Some(0.1));
    assert!(file.usage_file.is_some() && file.stored_ids_file.is_some() && file.log.file.is_some());
}
