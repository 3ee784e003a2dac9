//! Slash commands and skills as prompts for MCP clients.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_app::mcp_service::{ServeOptions, ServedPrompts};
use windlass_mcp_server::{HostError, PromptHost as _};
use windlass_protocol::Content;

use crate::place::Place;

fn load(place: &Place) -> Arc<ServedPrompts> {
    Arc::new(ServedPrompts::load(&place.app, &place.project(), &ServeOptions::default()).unwrap())
}

async fn fill(prompts: &Arc<ServedPrompts>, name: &str, arguments: &str) -> Result<String, HostError> {
    let arguments = BTreeMap::from([("arguments".to_owned(), arguments.to_owned())]);
    let messages = Arc::clone(prompts).fill(name.to_owned(), arguments).await?;
    let Content::Text { text } = &messages[0].content else { unreachable!("{messages:?}") };
    Ok(text.clone())
}

#[tokio::test]
async fn prompts_come_from_the_files_of_a_run_and_commands_have_precedence() {
    let place = Place::new();
    assert!(load(&place).is_empty());
    for folder in
        ["settings/commands", "settings/skills", "project/.windlass/commands", "project/.windlass/skills"]
    {
        std::fs::create_dir_all(place.project().join("..").join(folder)).unwrap();
    }
    place.write("settings/commands/review.md", "---\ndescription: Reviews.\n---\nReview $1.\n");
    place.write("project/.windlass/commands/review.md", "Another review.");
    place.write("project/.windlass/commands/ship.md", "Ship it.");
    let skill =
        |name: &str| format!("---\nname: {name}\ndescription: How to {name}.\n---\nText of {name}.\n");
    place.write("settings/skills/write.md", &skill("write"));
    place.write("settings/skills/review.md", &skill("review"));
    // The folder is not trusted, so its skills are not read, as in a run.
    place.write("project/.windlass/skills/stranger.md", &skill("stranger"));
    let prompts = load(&place);
    let listed: Vec<_> = prompts
        .prompts()
        .into_iter()
        .map(|prompt| (prompt.name, prompt.description.unwrap_or_default(), prompt.arguments.len()))
        .collect();
    let expected = [
        ("review", "Reviews. (folder: user)", 1),
        ("ship", "(folder: project)", 1),
        ("write", "How to write. (folder: user)", 0),
    ];
    let expected = expected.map(|(name, words, count)| (name.to_owned(), words.to_owned(), count));
    assert_eq!(listed, expected);
    let notices = format!("{:?}", place.notices());
    assert!(notices.contains("the skill review is not a prompt"), "{notices}");
    assert_eq!(fill(&prompts, "review", "a.rs").await.unwrap(), "Review a.rs.");
    assert_eq!(fill(&prompts, "ship", "now").await.unwrap(), "Ship it.\n\nArguments: now");
    assert_eq!(fill(&prompts, "write", "").await.unwrap(), "Text of write.");
    let long = fill(&prompts, "ship", &"x".repeat(20_000)).await;
    assert!(matches!(long, Err(HostError::Invalid(_))), "{long:?}");
    assert!(matches!(fill(&prompts, "stranger", "").await, Err(HostError::Invalid(_))));
}

#[tokio::test]
async fn secrets_of_the_folder_are_removed() {
    let place = Place::new();
    let secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
    place.write("project/.env", &format!("OPENAI_API_KEY={secret}\n"));
    std::fs::create_dir_all(place.project().join(".windlass/commands")).unwrap();
    place.write("project/.windlass/commands/leak.md", &format!("Use {secret} for it."));
    let text = fill(&load(&place), "leak", "").await.unwrap();
    assert!(!text.contains(secret) && text.starts_with("Use "), "{text}");
}
