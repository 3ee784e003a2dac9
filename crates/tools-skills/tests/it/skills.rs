//! Skills from folders.

use std::path::Path;

use serde_json::json;
use windlass_protocol::{Effect, ResultStatus};
use windlass_tool::Tool;
use windlass_tools_skills::{SkillTool, Skills};

use crate::calling::{call, payload};

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n{body}\n")
}

#[tokio::test]
async fn a_skill_is_listed_and_gives_its_text_and_its_files() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "pdf/SKILL.md", skill("pdf", "Works with PDF files.", "# PDF\n\nUse forms.md."));
    write(folder.path(), "pdf/forms.md", "Fill them.");
    write(folder.path(), "pdf/scripts/fill.py", "print()");
    write(folder.path(), "greet.md", skill("greet", "How to greet.", "Say moin."));
    write(folder.path(), "README.md", "No skill.");
    write(folder.path(), "notes.txt", "No skill.");
    write(folder.path(), "empty/x.md", "No skill.");
    let skills =
        Skills::default().with_folder("user", folder.path()).with_folder("project", folder.path().join("no"));
    assert!(skills.left_out().is_empty(), "{:?}", skills.left_out());
    assert_eq!(skills.names().collect::<Vec<_>>(), ["greet", "pdf"]);
    let tool = SkillTool::new(skills);
    assert!(tool.spec().description().ends_with("\n- greet: How to greet.\n- pdf: Works with PDF files."));
    assert_eq!(tool.effects(&payload(&json!({"skill": "pdf"}))), [Effect::Internal]);
    let (status, text) = call(&tool, &json!({"skill": "pdf"})).await;
    assert_eq!(status, ResultStatus::Ok);
    assert_eq!(
        text,
        "[skill pdf of the folder user; its other files, to be read with `file`: forms.md, scripts/fill.py]\n\
         # PDF\n\nUse forms.md."
    );
    let (_, text) = call(&tool, &json!({"skill": "pdf", "file": "./forms.md"})).await;
    assert_eq!(text, "[./forms.md of the skill pdf]\nFill them.");
    let (_, text) = call(&tool, &json!({"skill": "greet"})).await;
    assert_eq!(text, "[skill greet of the folder user]\nSay moin.");
}

#[tokio::test]
async fn nothing_outside_a_skill_can_be_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a/SKILL.md", skill("a", "A.", "x"));
    write(folder.path(), "a/data.bin", [0xff, 0xfe]);
    write(folder.path(), "b.md", skill("b", "B.", "x"));
    write(folder.path(), "secret.txt", "planted");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("a/out")).unwrap();
    let tool = SkillTool::new(Skills::default().with_folder("user", folder.path()));
    let mut cases = vec![
        (json!({"skill": "a", "file": "../secret.txt"}), "outside"),
        (json!({"skill": "a", "file": "/etc/hostname"}), "outside"),
        (json!({"skill": "a", "file": "@outputs/x"}), "not a file of the skill"),
        (json!({"skill": "a", "file": "none.md"}), "does not exist"),
        (
            json!({"skill": "a", "file": "data.bin"}),
            "is not UTF-8 text. The other files of the skill a: data.bin",
        ),
        (json!({"skill": "b", "file": "x"}), "the skill b is one file and has no others"),
        (json!({"skill": "c"}), "unknown skill `c`; the skills are: a, b"),
    ];
    if cfg!(unix) {
        cases.push((json!({"skill": "a", "file": "out"}), "outside"));
    }
    for (arguments, said) in cases {
        let (status, text) = call(&tool, &arguments).await;
        assert_eq!(status, ResultStatus::Error);
        assert!(text.contains(said) && !text.contains("planted"), "{arguments}: {text}");
    }
}

#[test]
fn skipped_skills_are_reported_with_a_reason() {
    let (user, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(user.path(), "a.md", skill("a", "The user's.", "x"));
    for (name, text) in [
        ("bare.md", "Just words.".to_owned()),
        ("open.md", "---\nname: open\n".to_owned()),
        ("nameless.md", "---\ndescription: d\n---\n".to_owned()),
        ("silent.md", "---\nname: silent\n---\n".to_owned()),
        ("colon.md", skill("colon", "use when: x", "y")),
        ("odd.md", skill("../odd", "d", "x")),
        ("hidden.md", skill("hidden", "\"a\\u200bb\"", "x")),
        ("alias.md", "---\nname: &a alias\ndescription: *a\n---\n".to_owned()),
        ("second.md", skill("a", "The project's.", "x")),
    ] {
        write(project.path(), name, text);
    }
    write(project.path(), "latin.md", [b'-', b'-', b'-', 0xe4]);
    let skills = Skills::default().with_folder("user", user.path()).with_folder("project", project.path());
    assert_eq!(skills.names().collect::<Vec<_>>(), ["a"]);
    let told: Vec<_> = skills.left_out().iter().map(ToString::to_string).collect();
    for (file, why) in [
        ("bare.md", "it has no front matter"),
        ("open.md", "its front matter has no end"),
        ("nameless.md", "its front matter has no `name`"),
        ("silent.md", "its front matter has no `description`"),
        ("colon.md", "its front matter is not valid YAML in line 3"),
        ("odd.md", "its `name` has to be letters"),
        ("hidden.md", "its `description` has characters that cannot be seen"),
        ("alias.md", "an anchor or a tag, which is not supported"),
        ("second.md", "the name `a` is taken by user: a.md"),
        ("latin.md", "is not UTF-8 text"),
    ] {
        let start = format!("project: {file} is left out: ");
        let found = told.iter().find(|line| line.starts_with(&start));
        assert!(found.is_some_and(|line| line.contains(why)), "{file}: {found:?}");
    }
    assert_eq!(told.len(), 10);
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_and_reported_if_they_lead_out() {
    use std::os::unix::fs::symlink;
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(folder.path(), "all/real/SKILL.md", skill("real", "d", "x"));
    write(elsewhere.path(), "a/SKILL.md", skill("a", "d", "x"));
    symlink("all/real", folder.path().join("linked")).unwrap();
    symlink(elsewhere.path().join("a"), folder.path().join("out")).unwrap();
    let skills = Skills::default().with_folder("user", folder.path());
    assert_eq!(skills.names().collect::<Vec<_>>(), ["real"]);
    let told: Vec<_> = skills.left_out().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("user: out is left out: it is a link that leads out"), "{told:?}");
    symlink("/etc/hostname", folder.path().join("c.md")).unwrap();
    let commands = windlass_tools_skills::SlashCommands::default().with_folder("user", folder.path());
    assert_eq!((commands.names().count(), commands.left_out().len()), (0, 1));
}

#[test]
fn a_list_that_is_too_long_for_every_request_is_cut_to_names() {
    let folder = tempfile::tempdir().unwrap();
    let long = "d".repeat(1_000);
    for number in 0..120 {
        write(folder.path(), &format!("s{number:03}.md"), skill(&format!("s{number:03}"), &long, "x"));
    }
    let skills = Skills::default().with_folder("user", folder.path());
    assert_eq!((skills.names().count(), skills.left_out().len()), (100, 20));
    assert!(skills.left_out()[0].why.contains("the limit of 100 skills is reached"));
    let tool = SkillTool::new(skills);
    let description = tool.spec().description();
    assert!(description.len() < 23_000 && description.ends_with("\n- s099"), "{}", description.len());
}

// security 18: with a link, a foreign project could choose the files of the machine that the model reads.
#[cfg(unix)]
#[test]
fn a_projects_folder_is_not_read_behind_a_link_and_large_files_are_refused() {
    use std::os::unix::fs::symlink;
    use windlass_tools_skills::SlashCommands;
    let (project, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = project.path();
    write(elsewhere.path(), "planted.md", skill("planted", "d", "x"));
    write(root, "real/own.md", skill("own", "d", "x"));
    write(root, "real/large.md", vec![b'#'; 1024 * 1024 + 1]);
    symlink(elsewhere.path(), root.join("out")).unwrap();
    symlink("real", root.join("inside")).unwrap();
    symlink("own.md", root.join("real/alias.md")).unwrap();
    for folder in ["out", "inside"] {
        let skills = Skills::default().with_project_folder("project", root, root.join(folder));
        let commands = SlashCommands::default().with_project_folder("project", root, root.join(folder));
        assert!(skills.is_empty() && commands.is_empty(), "{folder}");
        for told in [skills.left_out(), commands.left_out()] {
            assert!(
                told.len() == 1 && told[0].to_string().contains("a link in a project"),
                "{folder}: {told:?}"
            );
        }
    }
    let skills = Skills::default().with_project_folder("project", root, root.join("real"));
    assert_eq!(skills.names().collect::<Vec<_>>(), ["own"]);
    let told: Vec<_> = skills.left_out().iter().map(ToString::to_string).collect();
    assert!(
        told.len() == 2 && told[0].contains("alias.md") && told[0].contains("a project's link"),
        "{told:?}"
    );
    assert!(told[1].contains("more than 1048576 bytes"), "{told:?}");
    let commands = SlashCommands::default().with_project_folder("project", root, root.join("real"));
    assert_eq!((commands.names().collect::<Vec<_>>(), commands.left_out().len()), (vec!["own"], 2));
    let missing = Skills::default().with_project_folder("project", root, root.join("no"));
    assert!(missing.is_empty() && missing.left_out().is_empty());
    // The user's own folder may be a link.
    let users = Skills::default().with_folder("user", root.join("out"));
    assert_eq!(users.names().collect::<Vec<_>>(), ["planted"]);
}
