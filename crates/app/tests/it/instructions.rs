//! Instruction files, trust in folders, and the system prompt of runs.

use std::fs;
use std::os::unix::fs::symlink;

use windlass_app::Notice;
use windlass_app::instructions::{InstructionScope, Instructions};
use windlass_app::trust::{FileChange, TrustedFolders, list_project_files, trust_folder, withdraw_trust};

use crate::place::Place;

fn names(found: &Instructions) -> Vec<(String, bool)> {
    let name = |file: &windlass_app::instructions::InstructionFile| {
        (file.path.file_name().unwrap().to_string_lossy().into_owned(), file.is_trusted)
    };
    found.files().iter().map(name).collect()
}

#[test]
fn files_are_found_from_the_user_and_the_top_of_the_repository_down_to_the_folder() {
    let place = Place::new();
    let project = place.project();
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::create_dir_all(project.join("web/deep")).unwrap();
    place.write("settings/AGENTS.md", "Users.\n");
    place.write("project/AGENTS.md", "Top.\n");
    place.write("project/CLAUDE.md", "Not read, because AGENTS.md is there.\n");
    place.write("project/web/CLAUDE.md", "Web.\n");
    place.write("project/web/deep/GEMINI.md", "Deep.\n");
    let folder = project.join("web/deep");
    let found = Instructions::find(&place.app, &folder).unwrap();
    let expected = [("AGENTS.md", true), ("AGENTS.md", false), ("CLAUDE.md", false), ("GEMINI.md", false)];
    assert_eq!(names(&found), expected.map(|(name, is_trusted)| (name.to_owned(), is_trusted)));
    assert!(found.text().contains("Users.") && !found.text().contains("Top."), "{}", found.text());
    trust_folder(&place.app, &project).unwrap();
    let found = Instructions::find(&place.app, &folder).unwrap();
    let text = found.text();
    let places = ["Users.", "Top.", "Web.", "Deep."].map(|part| text.find(part).unwrap());
    assert!(places.is_sorted() && !text.contains("Not read"), "{text}");
    assert_eq!(found.files()[0].scope, InstructionScope::User);
}

#[test]
fn trust_does_not_cover_a_repository_below_the_folder() {
    let place = Place::new();
    let project = place.project();
    fs::create_dir_all(project.join("vendor/clone/.git")).unwrap();
    fs::create_dir_all(project.join("src")).unwrap();
    trust_folder(&place.app, &project).unwrap();
    let trusted = TrustedFolders::load(&place.app);
    assert!(trusted.covers(&project) && trusted.covers(&project.join("src")));
    assert!(!trusted.covers(&project.join("vendor/clone")));
    assert!(!trusted.covers(project.parent().unwrap()));
    assert!(withdraw_trust(&place.app, &project).unwrap() && !withdraw_trust(&place.app, &project).unwrap());
    assert!(!TrustedFolders::load(&place.app).covers(&project));
}

#[test]
fn a_change_is_reported_once_and_every_file_is_named() {
    let place = Place::new();
    place.write("project/AGENTS.md", "One.\n");
    let report = || {
        let before = place.notices().len();
        Instructions::find(&place.app, &place.project()).unwrap().report(&place.app);
        place.notices().split_off(before)
    };
    let told = report();
    assert!(
        matches!(&told[..], [Notice::Untrusted { folder, .. }] if *folder == place.project()),
        "{told:?}"
    );
    trust_folder(&place.app, &place.project()).unwrap();
    assert!(report()[0].to_string().ends_with("AGENTS.md (5 bytes)"));
    place.write("project/AGENTS.md", "Two, and a \u{202e}hidden\u{e0041} mark.\n");
    let found = Instructions::find(&place.app, &place.project()).unwrap();
    assert_eq!(found.files()[0].change, Some(FileChange::Changed));
    let told: Vec<String> = report().iter().map(ToString::to_string).collect();
    assert!(
        told[0].contains("has changed since you trusted") && told[1].contains("does not show"),
        "{told:?}"
    );
    assert!(!report()[0].to_string().contains("has changed"));
}

#[test]
fn long_files_are_cut_at_a_line_and_the_nearest_ones_take_precedence() {
    let place = Place::new();
    let project = place.project();
    fs::create_dir_all(project.join(".git")).unwrap();
    let mut folder = project.clone();
    for level in 0..5 {
        let line = format!("level {level} says something of a usual length for such a file\n");
        fs::write(folder.join("AGENTS.md"), line.repeat(2_000)).unwrap();
        folder = folder.join("sub");
        fs::create_dir(&folder).unwrap();
    }
    trust_folder(&place.app, &project).unwrap();
    let found = Instructions::find(&place.app, &folder).unwrap();
    let used: Vec<usize> = found.files().iter().map(|file| file.used_bytes).collect();
    assert!(used.iter().sum::<usize>() <= 96 * 1024 && used[4] > 32_000 && used[0] == 0, "{used:?}");
    let text = found.text();
    assert!(text.contains("(cut: the file has") && text.contains("level 4") && !text.contains("level 0"));
    assert!(text.len() < 100 * 1024);
}

#[test]
fn links_pipes_and_large_files_of_a_project_are_left_out_with_a_reason() {
    let place = Place::new();
    let project = place.project();
    fs::write(project.parent().unwrap().join("secret"), "key\n").unwrap();
    symlink("../secret", project.join("AGENTS.md")).unwrap();
    place.write("project/CLAUDE.md", "Real.\n");
    trust_folder(&place.app, &project).unwrap();
    let found = Instructions::find(&place.app, &project).unwrap();
    assert!(found.text().contains("Real.") && !found.text().contains("key"));
    assert!(found.problems()[0].contains("a link in a project's settings is not followed"));
    fs::remove_file(project.join("AGENTS.md")).unwrap();
    fs::write(project.join("AGENTS.md"), vec![b'x'; 2 * 1024 * 1024]).unwrap();
    assert!(Instructions::find(&place.app, &project).unwrap().problems()[0].contains("more than 1048576"));
    assert_eq!(list_project_files(&project).len(), 1);
}
