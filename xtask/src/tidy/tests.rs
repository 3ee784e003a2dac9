//! The project is tidy, and each rule finds its violations.

use xshell::Shell;

use super::{Findings, documents, findings, formats, links, manifests, skips, sources, text, walk};
use crate::project::{self, Package, Project};

#[test]
fn the_project_is_tidy() {
    let sh = Shell::new().unwrap();
    sh.change_dir(project::root());
    let found = findings(&sh).unwrap();
    assert!(found.errors.is_empty(), "{}", found.errors.join("\n"));
}

#[track_caller]
fn check_text(path: &str, line: &str, expected: &[&str]) {
    let mut found = Findings::default();
    text::check(path, line, &mut found);
    assert_eq!(found.errors, expected);
}

#[track_caller]
fn check_source(path: &str, content: &str, expected: &[&str]) {
    let mut found = Findings::default();
    sources::check(path, content, &mut found);
    assert_eq!(found.errors, expected);
}

#[track_caller]
fn check_manifest(manifest: &str, expected: &[&str]) {
    let mut found = Findings::default();
    let whole = format!(
        "[package]\nversion = \"0.1.0\"\nedition.workspace = true\nrust-version.workspace = true\n\
         license.workspace = true\nrepository.workspace = true\nhomepage.workspace = true\n\
         documentation = \"https://docs.rs/windlass-sse\"\nreadme = \"README.md\"\nkeywords = [\"sse\"]\n\
         categories = [\"encoding\"]\n{manifest}\n[package.metadata.docs.rs]\nall-features = true\n\
         rustdoc-args = [\"--cfg\", \"docsrs\"]\n\n\
         [lints]\nworkspace = true\n"
    );
    let root =
        "[workspace.dependencies]\nbytes = \"1.12\"\nserde_json = { version = \"1.0\", features = [] }\n";
    manifests::check(&sse(), &whole, root, &mut found);
    assert_eq!(found.errors, expected);
}

#[track_caller]
fn check_readme(readme: &str, errors: usize) {
    let mut found = Findings::default();
    documents::check_readme(&sse(), readme, &mut found);
    assert_eq!(found.errors.len(), errors, "{:?}", found.errors);
}

#[track_caller]
fn check_crate_table(readme: &str, errors: usize) {
    let mut found = Findings::default();
    let project = Project { packages: vec![sse()], ..Project::default() };
    documents::check_crate_table(&project, readme, &mut found);
    assert_eq!(found.errors.len(), errors, "{:?}", found.errors);
}

#[track_caller]
fn check_links(line: &str, expected: &[&str]) {
    let mut found = Findings::default();
    let files = ["README.md", "crates/sse/src/line.rs", "docs/a.md"].into();
    links::check("docs/page.md", line, &files, &mut found);
    assert_eq!(found.errors, expected);
}

#[test]
fn links_of_a_page_must_exist() {
    check_links(
        "[a](a.md), [b](../crates/sse), [c](https://example.org/x), [d](#d), [e](../README.md#e)",
        &[],
    );
    check_links("`crates/sse/src/line.rs`, `crates/wire-*/src/a.rs`, `crates/NAME/src/a.rs`", &[]);
    check_links("[a](b.md)", &["docs/page.md:1: `docs/b.md` does not exist"]);
    check_links("[a](../crates/ss)", &["docs/page.md:1: `crates/ss` does not exist"]);
    check_links("`crates/sse/src/lines.rs`", &["docs/page.md:1: `crates/sse/src/lines.rs` does not exist"]);
    check_links("```\n[a](b.md)\n```", &[]);
}

#[track_caller]
fn check_walk(rows: &str, expected: &[&str]) {
    let mut found = Findings::default();
    let content = |lines: usize| format!("fn push() {{}}\n{}", "//\n".repeat(lines));
    let mut texts = vec![("docs/WALK.md".to_owned(), format!("# Walks\n\n## One\n\n{rows}"))];
    texts.extend((0..21).map(|number| (format!("crates/a/src/{number}.rs"), content(100))));
    texts.push(("crates/a/src/long.rs".to_owned(), content(2999)));
    walk::check(&texts, &mut found);
    assert_eq!(found.errors, expected);
}

#[test]
fn a_walk_is_limited_in_files_and_lines_and_names_existing_items() {
    let row = |name: &str| format!("| [{name}](../crates/a/src/{name}.rs) | `push` | Text. |\n");
    let rows = |count: usize| (0..count).map(|number| row(&number.to_string())).collect::<String>();
    check_walk(&rows(20), &[]);
    check_walk(&rows(21), &["docs/WALK.md: \"One\" has 21 files; the limit is 20"]);
    check_walk(&row("long").repeat(2), &[]);
    let too_long = format!("{}{}", row("long"), row("0"));
    check_walk(&too_long, &["docs/WALK.md: \"One\" has 3101 lines; the limit is 3000"]);
    check_walk(&row("1").replace("push", "pus"), &["docs/WALK.md: `pus` is not in crates/a/src/1.rs"]);
}

fn sse() -> Package {
    Package {
        name: "windlass-sse".to_owned(),
        version: "0.1.0".to_owned(),
        description: "Cuts bytes.".to_owned(),
        folder: "crates/sse".to_owned(),
        readme: Some("README.md".to_owned()),
        benches: Vec::new(),
        has_library: true,
        is_published: true,
        features: Vec::new(),
        dependencies: Vec::new(),
    }
}

#[test]
fn machine_paths_are_reported_except_sample_homes() {
    check_text("a.md", "see /work/notes", &["a.md:1: `/work/notes` is a path of one machine"]); // tidy: sample
    check_text("a.md", "in /home/jane/x", &["a.md:1: `/home/jane` is a path of one machine"]); // tidy: sample
    check_text("a.md", "in /home/alice/x, src/work/it, https://a.example/root/x, ../work/x", &[]);
    check_text("a.md", "tidy: sample\n/root/.ssh", &[]);
}

#[test]
fn registries_other_than_the_public_index_are_reported() {
    let line = "registry = \"sparse+https://mirror.example/\""; // tidy: sample
    check_text("a.toml", line, &["a.toml:1: a registry other than the public index"]);
    check_text("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"", &[]);
}

#[test]
fn a_to_do_needs_a_number() {
    let error = "a.rs:1: a to-do needs its issue's number: `TODO(#12)`";
    check_text("a.rs", concat!("// TO", "DO: later"), &[error]);
    check_text("a.rs", "// TODO(#7): later", &[]);
    check_text("a.rs", "let pattern = \"TODO\";", &[]);
}

#[test]
fn names_and_headers_of_files_are_checked() {
    let name = "crates/sse/src/utils.rs: name it after the thing inside; `utils` names none";
    check_source("crates/sse/src/utils.rs", "//! Things.\n", &[name]);
    let header = "crates/sse/src/line.rs: the first line is `//!` and states the purpose of the file";
    check_source("crates/sse/src/line.rs", "use std::fmt;\n", &[header]);
    check_source("crates/sse/src/line.rs", "//! Lines.\n", &[]);
}

#[test]
fn children_are_started_through_one_function() {
    let error = "crates/sse/src/a.rs: start a process inside of `windlass_sandbox::start_child`";
    let makes = "//! A.\nlet mut ls = Command::new(\"ls\");\nls.spawn();\n";
    check_source("crates/sse/src/a.rs", makes, &[error]);
    check_source("crates/sse/tests/it/a.rs", makes, &[]);
    check_source("crates/sse/src/a.rs", &makes.replace("ls.spawn()", "start_child(|| ls.spawn())"), &[]);
    check_source("crates/sse/src/a.rs", "//! A.\nServiceCommand::new(a); // Command::new(a)\n", &[]);
}

#[test]
fn a_wire_format_is_named_in_few_places_outside_of_its_crate() {
    let names = formats::names(["crates/wire", "crates/wire-short-wave", "crates/sse"].into_iter());
    assert_eq!(names, ["short-wave"]);
    let errors = |path: &str, content: &str| {
        let mut found = Findings::default();
        formats::check(path, content, &names, &mut found);
        found.errors.len()
    };
    let compares = "//! A.\nif wire.name() == \"short-wave\" {}\n";
    assert_eq!(errors("crates/client/src/a.rs", compares), 1);
    assert_eq!(errors("crates/client/src/a.rs", "use windlass_wire_short_wave::ShortWave;\n"), 1);
    for path in [
        "crates/vendors/src/formats.rs",
        "crates/wire-short-wave/src/names.rs",
        "crates/client/tests/it/a.rs",
    ] {
        assert_eq!(errors(path, compares), 0, "{path}");
    }
    assert_eq!(
        errors("crates/client/src/a.rs", "//! As in \"short-wave\".\n/// use windlass_wire_short_wave;\n"),
        0
    );
    assert_eq!(
        errors("crates/client/src/a.rs", "//! A.\n#[cfg(test)]\nmod tests {\n    \"short-wave\"\n}\n"),
        0
    );
    let depends = "[dependencies]\nwindlass-wire-short-wave.workspace = true\n";
    assert_eq!(errors("crates/client/Cargo.toml", depends), 1);
    assert_eq!(errors("crates/windlass/Cargo.toml", depends), 0);
    assert_eq!(errors("crates/client/Cargo.toml", &depends.replace("[", "[dev-")), 0);
}

#[test]
fn a_list_of_all_wire_formats_is_at_its_places_only() {
    let names = ["long-wave".to_owned(), "short-wave".to_owned()];
    let errors = |path: &str, content: &str| {
        let mut found = Findings::default();
        formats::check(path, content, &names, &mut found);
        found.errors
    };
    let list = "//! A.\nconst FORMATS: [&str; 2] = [\"short-wave\", \"long-wave\"];\n";
    for path in ["xtask/src/sdk.rs", "crates/cli/tests/it/a.rs", "crates/client/src/a.rs", "benches/a.rs"] {
        assert_eq!(errors(path, list), [format!("{path}:2: lists the wire formats: use `WireFormat::all`")]);
    }
    assert!(errors("crates/vendors/tests/it/a.rs", list).is_empty());
    assert!(errors("xtask/src/sdk.rs", "//! A.\nlet one = \"short-wave\";\n").is_empty());

    let places = "1. `crates/vendors`: a.\n2. `crates/mock`: a,\n   b.\n3. `crates/windlass`.\n4. `fuzz`.\n";
    let page = |list: &str| format!("# A\n\n## Add a wire format\n\nFour.\n\n{list}\n## B\n\n1. Other.\n");
    assert!(errors("CONTRIBUTING.md", &page(places)).is_empty());
    for wrong in [places.replace("crates/mock", "crates/app"), format!("{places}5. `docs`.\n"), String::new()]
    {
        assert_eq!(errors("CONTRIBUTING.md", &page(&wrong)).len(), 1, "{wrong}");
    }
}

#[test]
fn a_test_ends_early_only_through_the_macro() {
    let check = |body: &str, expected: &[&str]| {
        let mut found = Findings::default();
        skips::check(
            "crates/sse/tests/it/a.rs",
            &format!("#[test]\nfn reads() {{\n{body}\n}}\n"),
            &mut found,
        );
        assert_eq!(found.errors, expected, "{body}");
    };
    let error = |line: usize| {
        format!("crates/sse/tests/it/a.rs:{line}: a test that lacks something ends through `require!`")
    };
    check("    let Some(git) = git() else { return };", &[&error(3)]);
    check("    if !has_git() {\n        return;\n    }", &[&error(4)]);
    check("    let git = require!(Need::Git, git());", &[]);
    check("    let Some(role) = std::env::var_os(ROLE) else { return };", &[]);
    check("    if let Ok(role) = std::env::var(ROLE) {\n        play(role);\n        return;\n    }", &[]);
    check("    let serve = || {\n        if is_over {\n            return;\n        }\n    };", &[]);
    let print = concat!("    eprint", "ln!(\"skipped: no git\");");
    let message = "crates/sse/tests/it/a.rs:3: `windlass_testkit::Need` prints skipped cases";
    check(print, &[message]);
}

#[test]
fn tests_do_not_count_in_a_files_size() {
    let long = |lines: usize| format!("//! Long.\n{}", "\n".repeat(lines));
    check_source("crates/sse/src/line.rs", &long(399), &[]);
    let end = "crates/sse/src/line.rs: 401 lines without tests: look for the seam (400 is the end)";
    check_source("crates/sse/src/line.rs", &long(400), &[end]);
    check_source("crates/sse/src/line/tests.rs", &long(1000), &[]);
    let with_tests = "//! A.\nfn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
    assert_eq!(sources::lines_without_tests(with_tests), 3);
}

#[test]
fn dependencies_are_declared_in_the_workspace() {
    check_manifest(
        "[dependencies]\nbytes.workspace = true\nserde = { workspace = true, optional = true }\n",
        &[],
    );
    check_manifest("[dev-dependencies]\nwindlass-testkit = { path = \"../testkit\" }\n", &[]);
    let error =
        |name: &str| format!("crates/sse/Cargo.toml: `{name}` comes through [workspace.dependencies]");
    check_manifest("[dependencies]\nbytes = \"1\"\n", &[&error("bytes")]);
    let path = "[dependencies]\nwindlass-testkit = { path = \"../testkit\" }\n";
    check_manifest(path, &[&error("windlass-testkit")]);
    let reduced = |name: &str, version: &str| {
        format!("[dependencies]\n{name} = {{ version = \"{version}\", default-features = false }}\n")
    };
    check_manifest(&reduced("bytes", "1.12"), &[]);
    check_manifest(&reduced("serde_json", "1.0"), &[]);
    check_manifest(&reduced("serde_json", "1.1"), &[&error("serde_json")]);
    check_manifest(&reduced("serde", "1.0"), &[&error("serde")]);
}

#[test]
fn a_readme_begins_with_the_crates_sentence() {
    check_readme("# windlass-sse\n\nCuts bytes.\n\nMore.\n", 0);
    check_readme("# windlass-sse\n\nCuts bytes. And more.\n", 1);
    check_readme("Cuts bytes.\n", 2);
    check_readme("", 1);
}

#[test]
fn the_crate_table_lists_exactly_the_crates() {
    check_crate_table("| [`windlass-sse`](../crates/sse) | Cuts bytes. |\n", 0);
    check_crate_table("| [`windlass-sse`](../crates/sse) | Something else. |\n", 1);
    check_crate_table("", 1);
    check_crate_table("| [a](../crates/sse) | Cuts bytes. |\n| [b](../crates/gone) | Gone. |\n", 1);
}

#[test]
fn the_first_pages_stay_short() {
    let errors_of = |lines: usize| {
        let mut found = Findings::default();
        documents::check_first_pages(|_| "line\n".repeat(lines), &mut found);
        found.errors
    };
    assert_eq!(errors_of(120), Vec::<String>::new());
    let expected = ["README.md: 121 lines, 120 at most", "docs/ARCHITECTURE.md: 121 lines, 120 at most"];
    assert_eq!(errors_of(121), expected);
}
