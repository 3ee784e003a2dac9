//! Commands from folders.

use serde_json::json;
use windlass_protocol::{Effect, ResultStatus};
use windlass_tool::Tool;
use windlass_tools_skills::{RunSlashCommand, SlashCommands};

use crate::calling::{call, payload};

#[tokio::test]
async fn a_command_gives_its_text_with_the_arguments_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let review = "---\ndescription: Reviews a change.\nargument-hint: <branch> [focus]\n---\nReview $1 for $2.\n!`git diff`\n";
    std::fs::write(folder.path().join("review.md"), review).unwrap();
    std::fs::write(folder.path().join("plain.md"), "Do it.").unwrap();
    std::fs::write(folder.path().join("no command.md"), "x").unwrap();
    let commands = SlashCommands::default().with_folder("project", folder.path());
    assert_eq!(commands.names().collect::<Vec<_>>(), ["plain", "review"]);
    let left_out: Vec<_> = commands.left_out().iter().map(ToString::to_string).collect();
    assert_eq!(left_out.len(), 1);
    assert!(left_out[0].contains("its name has to be letters"), "{left_out:?}");
    let tool = RunSlashCommand::new(commands);
    let description = tool.spec().description();
    assert!(
        description
            .ends_with("\n- plain: (without a description)\n- review <branch> [focus]: Reviews a change.")
    );
    assert_eq!(tool.effects(&payload(&json!({"command": "review"}))), [Effect::Internal]);
    let (status, text) = call(&tool, &json!({"command": "/review", "args": "main 'odd $1 names'"})).await;
    assert_eq!(status, ResultStatus::Ok);
    assert_eq!(
        text, "[command /review of the folder project]\nReview main for odd $1 names.\n!`git diff`",
        "nothing is run, and an argument is not read again"
    );
    let (_, text) = call(&tool, &json!({"command": "plain", "args": "now"})).await;
    assert_eq!(text, "[command plain of the folder project]\nDo it.\n\nArguments: now");
    let long = "x".repeat(10_001);
    for (arguments, said) in [
        (json!({"command": "none"}), "unknown command `none`; the commands are: plain, review"),
        (json!({"command": "plain", "args": long}), "the arguments have 10001 bytes, at most 10000"),
    ] {
        let (status, text) = call(&tool, &arguments).await;
        assert_eq!(status, ResultStatus::Error);
        assert!(text.contains(said), "{text}");
    }
}

#[tokio::test]
async fn a_deleted_command_file_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), "x").unwrap();
    let tool = RunSlashCommand::new(SlashCommands::default().with_folder("user", folder.path()));
    std::fs::remove_file(folder.path().join("a.md")).unwrap();
    let (status, text) = call(&tool, &json!({"command": "a"})).await;
    assert_eq!(status, ResultStatus::Error);
    assert!(text.contains("the command a cannot be read: `a.md` does not exist"), "{text}");
}
