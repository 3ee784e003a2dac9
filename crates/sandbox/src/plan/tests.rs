//! A plan is decoded as it was encoded, and a damaged plan is refused.

use super::*;

#[test]
fn a_plan_round_trips() {
    let confinement = Confinement::new()
        .with_writable("/a b/\u{fc}")
        .with_protected("/a b/--")
        .with_stand_in("/a b/commondir", StandIn::CommonFolder)
        .with_stand_in("/a b/config", StandIn::File)
        .with_hidden("/a b/.env")
        .with_known_hidden("/a b/id_rsa", Some((7, 8)))
        .with_port(8080)
        .with_limits(ChildLimits { open_files: 7, ..ChildLimits::default() })
        .with_terminal();
    let plan = Plan::new(&confinement, Level::Namespaces, Path::new("/a b"));
    let command = ["sh", "--", "--read", "/"].map(OsString::from);
    assert_eq!(Plan::decode(plan.encode(&command)), Some((plan, command.to_vec())));
}

#[test]
fn incomplete_or_invalid_confinement_arguments_are_refused() {
    for words in [
        "",
        "outer",
        "outer namespaces",
        "outer all --",
        "middle namespaces --",
        "outer landlock --read",
        "outer landlock --read relative --",
        "outer landlock --port 70000 --",
        "outer landlock --port x --",
        "outer landlock --grant /x --",
        "outer landlock --folder /x",
        "outer landlock --terminal stdin --",
    ] {
        assert_eq!(Plan::decode(words.split_whitespace().map(OsString::from)), None, "{words}");
    }
}

#[test]
fn a_cover_is_needed_only_where_something_is_seen() {
    let confinement = Confinement::new()
        .with_writable("/home/me/work")
        .with_private("/home/me")
        .with_hidden("/home/me/work/state/.env")
        .with_hidden("/home/me/work/state")
        .with_hidden("/home/me/work/state.env")
        .with_hidden("/home/me/.ssh")
        .with_hidden("/srv/secret");
    let plan = Plan::new(&confinement, Level::Namespaces, Path::new("/"));
    let covered: Vec<_> = plan.covers().into_iter().map(|hidden| hidden.path.as_path()).collect();
    assert_eq!(covered, [Path::new("/home/me/work/state"), Path::new("/home/me/work/state.env")]);
}
