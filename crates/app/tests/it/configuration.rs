//! The settings of `config.toml`: precedence, sources, changes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use windlass_app::Notice;
use windlass_app::configuration::{
    ConfigOrigin, Configuration, change_setting, check_configuration, user_configuration_file,
};
use windlass_app::trust::{trust_folder, withdraw_trust};
use windlass_app::{WireFormat, one_line};

use crate::place::Place;

const USERS: &str = "# mine\nmodel = \"m1\"  # the big one\nautonomy = \"auto-edit\"\nmax-turns = 50\n\n\
                     [budget]\nrequests = 10\n\n[profiles.fast]\nmodel = \"small\"\neffort = \"low\"\n";

fn load(place: &Place, profile: Option<&str>) -> Configuration {
    Configuration::load(&place.app, &place.project(), profile).unwrap()
}

#[test]
fn each_value_names_its_source() {
    let place = Place::new();
    let empty = load(&place, None);
    assert!(empty.entries().iter().all(|entry| !entry.is_set()));
    assert_eq!(empty.text("preset"), Some("standard"));
    place.write("settings/config.toml", USERS);
    let users = load(&place, None);
    assert_eq!((users.text("model"), users.text("effort")), (Some("m1"), None));
    assert!(
        matches!(&users.find("max-turns").unwrap().origin, ConfigOrigin::User { file } if file.ends_with("config.toml"))
    );
    let fast = load(&place, Some("fast"));
    assert_eq!(
        (fast.text("model"), fast.text("effort"), fast.profile()),
        (Some("small"), Some("low"), Some("fast"))
    );
    assert!(
        matches!(&fast.find("model").unwrap().origin, ConfigOrigin::Profile { name, .. } if name == "fast")
    );
    assert_eq!(fast.text("autonomy"), Some("auto-edit"));
    let error = Configuration::load(&place.app, &place.project(), Some("slow")).unwrap_err();
    assert!(error.to_string().contains("the profiles are fast"), "{error}");
}

#[test]
fn a_profile_that_the_file_chooses_is_weaker_than_the_project_and_a_named_one_is_stronger() {
    let place = Place::new();
    place.write("settings/config.toml", &format!("profile = \"fast\"\n{USERS}"));
    place.write("project/.windlass/config.toml", "model = \"projects\"\n");
    assert_eq!(load(&place, None).text("model"), Some("small"), "the folder is not trusted");
    trust_folder(&place.app, &place.project()).unwrap();
    assert_eq!(load(&place, None).text("model"), Some("projects"));
    assert_eq!(load(&place, Some("fast")).text("model"), Some("small"));
    assert!(withdraw_trust(&place.app, &place.project()).unwrap());
    assert_eq!(load(&place, None).text("model"), Some("small"));
}

#[test]
fn a_project_tightens_without_trust_and_never_widens_with_it() {
    let place = Place::new();
    place.write("settings/config.toml", USERS);
    place.write(
        "project/.windlass/config.toml",
        "autonomy = \"ask\"\nsandbox = \"off\"\nprovider = \"evil\"\nmax_turns = 500\nnotify = [\"sh\"]\n\
         disabled_tools = [\"run_command\"]\nmodel = \"costly\"\n[budget]\nrequests = 3\n",
    );
    for is_trusted in [false, true] {
        if is_trusted {
            trust_folder(&place.app, &place.project()).unwrap();
        }
        let configuration = load(&place, None);
        assert_eq!(configuration.text("autonomy"), Some("ask"));
        assert!(matches!(configuration.find("autonomy").unwrap().origin, ConfigOrigin::Project { .. }));
        assert_eq!(configuration.list("disabled_tools"), ["run_command"]);
        assert_eq!(
            configuration.find("budget.requests").unwrap().value.as_ref().unwrap().as_integer(),
            Some(3)
        );
        for name in ["sandbox", "provider", "max_turns", "notify.command"] {
            let entry = configuration.find(name).unwrap();
            assert!(entry.ignored.is_some(), "{name}");
            assert!(!matches!(entry.origin, ConfigOrigin::Project { .. }), "{name}");
        }
        assert_eq!(configuration.text("model"), Some(if is_trusted { "costly" } else { "m1" }));
    }
    load(&place, None).report_ignored(&place.app);
    let told = |words: &str| place.notices().iter().any(|notice| notice.to_string().contains(words));
    assert!(told("`provider` of") && told("must not choose the address"));
}

#[test]
fn an_address_counts_only_together_with_its_provider() {
    let place = Place::new();
    place.write(
        "settings/config.toml",
        "provider = \"anthropic\"\nbase_url = \"https://proxy.example/v1\"\n[profiles.other]\nprovider = \"groq\"\n",
    );
    assert_eq!(load(&place, None).text("base_url"), Some("https://proxy.example/v1"));
    let other = load(&place, Some("other"));
    assert_eq!((other.text("provider"), other.text("base_url")), (Some("groq"), None));
}

#[test]
fn a_change_keeps_comments_order_and_the_other_tables() {
    let place = Place::new();
    place.write("settings/config.toml", &format!("{USERS}\n[mcp_servers.x]\ncommand = \"x\" # keep\n"));
    let file = user_configuration_file(&place.app).unwrap();
    change_setting(&place.app, None, "model", Some("m2")).unwrap();
    change_setting(&place.app, None, "max_turns", Some("7")).unwrap();
    change_setting(&place.app, None, "budget.cost", Some("2.50")).unwrap();
    change_setting(&place.app, Some("careful"), "autonomy", Some("read-only")).unwrap();
    change_setting(&place.app, Some("fast"), "effort", None).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    for part in [
        "# mine\nmodel = \"m2\"  # the big one\n",
        "max-turns = 7\n",
        "cost = \"2.50\"",
        "command = \"x\" # keep",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(
        !text.contains("effort") && text.contains("[profiles.careful]\nautonomy = \"read-only\""),
        "{text}"
    );
    assert_eq!(load(&place, Some("careful")).text("autonomy"), Some("read-only"));
    check_configuration(&place.app).unwrap();
}

#[test]
fn a_new_file_is_private_and_a_wrong_change_writes_nothing() {
    let place = Place::new();
    for (name, value, words) in [
        ("auton0my", "x", "did you mean `autonomy`?"),
        ("autonomy", "yolo", "it is not one of ask, read-only"),
        ("max_turns", "-1", "a whole number"),
        ("budget.cost", "lots", "an amount such as"),
        ("effort", "huge", "off, minimal"),
        ("model", "a\u{1b}b", "control characters"),
    ] {
        let error = one_line(&change_setting(&place.app, None, name, Some(value)).unwrap_err());
        assert!(error.contains(words), "{name}: {error}");
    }
    let file = user_configuration_file(&place.app).unwrap();
    assert!(!file.exists());
    change_setting(&place.app, None, "learning.enabled", Some("true")).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let error = change_setting(&place.app, Some("fast"), "learning.enabled", Some("true")).unwrap_err();
    assert!(one_line(&error).contains("cannot set `learning.enabled`"), "{error}");
}

#[test]
fn an_invalid_file_of_the_user_is_an_error_and_one_of_the_project_a_warning() {
    let place = Place::new();
    for (text, words) in [
        ("modell = \"x\"", "no key `modell`; did you mean `model`?"),
        ("max_turns = \"many\"", "`max_turns`"),
        ("max_turns = 1\nmax-turns = 2", "is set twice"),
        ("[profiles.a]\nprofile = \"b\"", "cannot set `profile`"),
        ("[providers.x]\nkey_comand = [\"a\"]", "the key is key_command"),
        ("[budget]\ncosts = 1", "did you mean `budget.cost`?"),
    ] {
        place.write("settings/config.toml", text);
        let error = Configuration::load(&place.app, &place.project(), None).unwrap_err();
        assert!(one_line(&error).contains(words), "{text}: {}", one_line(&error));
    }
    place.write("settings/config.toml", "");
    place.write("project/.windlass/config.toml", "nonsense = 1\n");
    assert_eq!(load(&place, None).text("model"), None);
    let warned = |notice: &Notice| matches!(notice, Notice::Warning(text) if text.contains("it is left out"));
    assert!(place.notices().iter().any(warned));
}

#[test]
fn every_wire_format_can_be_chosen_and_every_default_is_valid() {
    let place = Place::new();
    for format in WireFormat::all() {
        change_setting(&place.app, None, "wire", Some(format.as_str())).unwrap();
    }
    let error = one_line(&change_setting(&place.app, None, "wire", Some("smoke")).unwrap_err());
    assert!(error.contains("it is not one of "), "{error}");
    // Loading parses the defaults.
    load(&place, None);
}
