//! Errors and notices: their class, and texts without the content of files.

use windlass_app::assembly::{find_mode, load_modes};
use windlass_app::mcp::{change_trust, load_servers};
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::{ErrorKind, Notice, causes, one_line};

use crate::place::Place;

#[test]
fn a_projects_invalid_file_is_a_warning_and_a_users_is_an_error() {
    let place = Place::new();
    place.write("project/.windlass/modes.toml", "key = sk-planted-1");
    let modes = load_modes(&place.app, &place.project()).unwrap();
    assert!(modes.iter().count() > 0, "the built-in modes stay");
    let notices = place.notices();
    let [Notice::Warning(text)] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(text.ends_with("its modes are left out") && !text.contains("planted"), "{text}");

    place.write("settings/modes.toml", "key = sk-planted-1");
    let error = load_modes(&place.app, &place.project()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let texts = causes(&error);
    assert_eq!(texts.len(), 3, "the file, the reason, the position: {texts:?}");
    assert!(!one_line(&error).contains("planted"), "{texts:?}");
}

#[test]
fn an_invalid_pattern_that_a_later_entry_replaces_is_a_warning() {
    let place = Place::new();
    let groups = r#"[{ group = "edit", file_regex = '(' }, { group = "edit", file_regex = 'a' }]"#;
    let mode =
        |slug: &str| format!("[[mode]]\nslug = \"{slug}\"\nname = \"X\"\nrole = \"R\"\ngroups = {groups}\n");
    place.write("settings/modes.toml", &mode("mine"));
    place.write("project/.windlass/modes.toml", &mode("theirs"));
    let modes = load_modes(&place.app, &place.project()).unwrap();
    assert!(modes.get("mine").is_some() && modes.get("theirs").is_some());
    let notices = place.notices();
    assert_eq!(notices.len(), 2, "{notices:?}");
    for (notice, (file, slug)) in
        notices.iter().zip([("settings/modes.toml", "mine"), (".windlass/modes.toml", "theirs")])
    {
        let Notice::Warning(text) = notice else { panic!("{notice:?}") };
        for part in [file, &format!("mode {slug:?}"), "group edit", r#""(" is refused"#, "a later entry"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }
}

#[test]
fn errors_distinguish_missing_from_invalid_input() {
    let place = Place::new();
    let app = &place.app;
    assert_eq!(app.find_run("1790000000-3f9a12bc").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(app.find_run("../x").unwrap_err().kind(), ErrorKind::Invalid);
    let modes = load_modes(app, &place.project()).unwrap();
    assert_eq!(find_mode(&modes, "no-such-mode").unwrap_err().kind(), ErrorKind::NotFound);
    let mut choice = ProviderChoice::default();
    choice.provider = Some("no-such-provider".to_owned());
    choice.model = Some("m".to_owned());
    let error = Provider::select(app, &choice, &ProviderOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn a_projects_server_is_trusted_for_one_user_only() {
    let (place, other) = (Place::new(), Place::new());
    let root = place.project();
    place.write("project/.windlass/config.toml", "[mcp_servers.docs]\ncommand = \"docs\"\n");
    assert!(!load_servers(&place.app, &root).unwrap()[0].is_trusted());
    let cards = change_trust(&place.app, &root, &["docs".to_owned()], true).unwrap();
    assert!(cards[0].is_trusted && cards[0].permissions.contains("command: docs"), "{cards:?}");
    assert!(load_servers(&place.app, &root).unwrap()[0].is_trusted());
    assert!(!load_servers(&other.app, &root).unwrap()[0].is_trusted());
}
