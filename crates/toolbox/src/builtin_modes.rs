//! The built-in modes.

use crate::{FilePattern, ToolGroup, WorkMode};

pub(crate) fn modes() -> Vec<WorkMode> {
    let all = [ToolGroup::Read, ToolGroup::Edit, ToolGroup::Browser, ToolGroup::Command, ToolGroup::Mcp];
    let looking = [ToolGroup::Read, ToolGroup::Browser, ToolGroup::Mcp];
    let markdown = FilePattern::new(r"\.md$").expect("the pattern is a constant and a test compiles it");
    let give = |mode: WorkMode, groups: &[ToolGroup]| {
        groups.iter().fold(mode, |mode, group| mode.with_group(*group))
    };
    vec![
        give(architect(), &looking).with_files(ToolGroup::Edit, markdown.with_description("Markdown files")),
        give(code(), &all),
        give(ask(), &looking),
        give(debug(), &all),
        orchestrator(),
    ]
}

fn architect() -> WorkMode {
    WorkMode::new(
        "architect",
        "Architect",
        "You plan. Find out the current state and the goal, weigh the ways to reach it, and write the plan \
         down as a list of steps that another agent can carry out. You do not carry it out.",
    )
    .when("Before work that has several parts, needs a design, or is not understood yet.")
}

fn code() -> WorkMode {
    WorkMode::new(
        "code",
        "Code",
        "You write and change code. Read before you change, keep to the project's own style, change as little as the \
         task needs, and check what you did by running it.",
    )
    .when("To build, change or tidy code whose purpose is clear.")
}

fn ask() -> WorkMode {
    WorkMode::new(
        "ask",
        "Ask",
        "You explain. Answer from what the code and the documents say, name the files and lines that show it, and say \
         what you could not find. You change nothing.",
    )
    .when("For questions and explanations that change nothing.")
}

fn debug() -> WorkMode {
    WorkMode::new(
        "debug",
        "Debug",
        "You find causes. Reproduce the fault first, think of what could cause it, test the likeliest causes with the \
         smallest experiment each, and mend the one that is proved. Leave no experiment behind.",
    )
    .when("When something fails for an unknown reason.")
}

fn orchestrator() -> WorkMode {
    WorkMode::new(
        "orchestrator",
        "Orchestrator",
        "You divide work. Cut the task into parts that can be done and checked one by one, hand each to the mode that \
         fits it with everything it needs to know, and put the results together. You do no part of it yourself.",
    )
    .when("For large work that falls into parts of different kinds.")
}
