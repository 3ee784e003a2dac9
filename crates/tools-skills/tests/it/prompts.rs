//! Commands and skills as prompts that a person chooses.

use std::fs;

use windlass_tools_skills::{PromptError, Skills, SlashCommands};

#[test]
fn commands_are_listed_and_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let greet = "---\ndescription: Greets.\nargument-hint: NAME\n---\nHello $1!\n";
    fs::write(folder.path().join("greet.md"), greet).unwrap();
    fs::write(folder.path().join("bare.md"), "Bare.").unwrap();
    let commands = SlashCommands::default().with_folder("user", folder.path());
    let listed: Vec<_> = commands
        .summaries()
        .into_iter()
        .map(|summary| (summary.name, summary.description, summary.hint, summary.folder))
        .collect();
    let text = |words: &str| Some(words.to_owned());
    let user = || "user".to_owned();
    assert_eq!(
        listed,
        [
            ("bare".to_owned(), None, None, user()),
            ("greet".to_owned(), text("Greets."), text("NAME"), user())
        ]
    );
    assert_eq!(commands.expand("greet", "Ada").unwrap(), "Hello Ada!");
    assert_eq!(commands.expand("/greet", ""), Err(PromptError::Unknown { name: "/greet".to_owned() }));
    let long = "x".repeat(10_001);
    assert_eq!(commands.expand("greet", &long), Err(PromptError::ArgumentsTooLong { bytes: 10_001 }));
    fs::write(folder.path().join("bare.md"), "$1 ".repeat(1_000)).unwrap();
    let words = "y".repeat(10_000);
    assert_eq!(commands.expand("bare", &words), Err(PromptError::TooLong { name: "bare".to_owned() }));
    fs::remove_file(folder.path().join("greet.md")).unwrap();
    assert!(matches!(commands.expand("greet", "Ada"), Err(PromptError::Unreadable { .. })));
}

#[test]
fn skills_are_listed_and_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tests")).unwrap();
    let skill = "---\nname: tests\ndescription: How we write tests.\n---\nOne claim each.\n";
    fs::write(folder.path().join("tests/SKILL.md"), skill).unwrap();
    let skills = Skills::default().with_folder("user", folder.path());
    assert_eq!(skills.summaries()[0].description.as_deref(), Some("How we write tests."));
    assert_eq!(skills.instructions("tests").unwrap(), "One claim each.");
    assert!(matches!(skills.instructions("other"), Err(PromptError::Unknown { .. })));
}
