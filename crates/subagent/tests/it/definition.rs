//! Agents as files describe them.

use windlass_journal::MemoryJournals;
use windlass_subagent::{AgentDefinition, SubAgents};

#[track_caller]
fn check_refused(text: &str, says: &str) {
    let error = AgentDefinition::parse(text).unwrap_err().to_string();
    assert!(error.contains(says), "{error:?} does not say {says:?}");
}

fn file(fields: &str) -> String {
    format!("---\nname: one\ndescription: Does it.\n{fields}---\nDo it well.\n")
}

#[test]
fn an_agent_definition_is_parsed_from_a_file() {
    let text = file(
        "tools: read_file, mcp__docs__* grep_file\nmodel: small-1\nmode: ask\nread-only: yes\nagents: no\nmax-turns: 7\n",
    );
    let wanted = AgentDefinition::new("one", "Does it.", "Do it well.")
        .unwrap()
        .with_tools(["read_file", "mcp__docs__*", "grep_file"])
        .with_model("small-1")
        .with_mode("ask")
        .read_only()
        .with_turns(7);
    assert_eq!(AgentDefinition::parse(&text).unwrap(), wanted);
    let text = file("agents: true\n");
    let wanted = AgentDefinition::new("one", "Does it.", "Do it well.").unwrap().with_delegation();
    assert_eq!(AgentDefinition::parse(&text).unwrap(), wanted);
}

#[test]
fn errors_of_a_definition_file_are_reported() {
    check_refused("no front matter", "has no `name`");
    check_refused("---\nname: one\n---\ntext", "has no `description`");
    check_refused("---\nname: one\ndescription: d\n---\n  \n", "the agent's instructions follow");
    check_refused("---\nname: One Two\ndescription: d\n---\nt", "lower-case letters");
    check_refused(&file("tool: read_file\n"), "has the unknown key `tool`; the known keys are: name");
    check_refused(&file("read-only: maybe\n"), "expected yes or no");
    check_refused(&file("max-turns: many\n"), "is not a positive number");
    check_refused(&file("tools: a b$c\n"), "is neither a tool name");
}

// An unreadable list of tools must not grant all of them.
#[test]
fn tools_that_are_not_one_line_of_names_are_refused() {
    check_refused(&file("tools:\n  - read_file\n"), "is empty");
    check_refused(&file("tools:\n"), "is empty");
    check_refused(&file("tools: ','\n"), "is empty");
}

#[test]
fn builtin_agents_have_names_and_yield_to_agents_of_the_user() {
    let own = AgentDefinition::new("researcher", "Asks the library.", "Ask the library.").unwrap();
    let agents = SubAgents::new(MemoryJournals::default()).with_agent(own.clone()).unwrap().with_builtin();
    let names: Vec<_> = agents.definitions().map(AgentDefinition::name).collect();
    assert_eq!(names, ["researcher", "code_explorer", "code_analyzer", "code_writer", "shell_executor"]);
    assert_eq!(agents.definitions().next(), Some(&own));
    let error = agents.with_agent(own).unwrap_err();
    assert_eq!(error.to_string(), "there are two agents with the name researcher");
}

// correctness-2 9: a key without words must not count as a key that is left out.
#[test]
fn a_key_without_a_scalar_value_is_refused() {
    for key in ["mode", "model", "max-turns", "read-only", "agents", "tools"] {
        for value in ["", " [architect]", "\n  - architect", " {a: b}", " ~"] {
            let text = file(&format!("{key}:{value}\n"));
            let error = AgentDefinition::parse(&text).unwrap_err().to_string();
            assert!(error.contains(key), "{key}:{value}: {error}");
        }
    }
    check_refused(&file("max-turns: 0\n"), "is not a positive number");
}

// library B8
#[test]
fn an_empty_list_gives_no_tools() {
    let wanted =
        AgentDefinition::new("one", "Does it.", "Do it well.").unwrap().with_tools(Vec::<String>::new());
    assert_eq!(AgentDefinition::parse(&file("tools: []\n")).unwrap(), wanted);
    assert_eq!(AgentDefinition::parse(&file("tools:\n  []\n")).unwrap(), wanted);
    check_refused(&file("tools: [[]]\n"), "is empty");
    assert!(AgentDefinition::new("code-reviewer", "Reads.", "Read.").is_ok());
}
