//! The programs of the guide, compiled and run as documentation tests.
//!
//! Each page of `src` is the documentation of one module, so `cargo test --doc -p windlass-guide` runs every program of
//! the guide. The modules exist only in documentation tests.

/// Declares one module for each page.
#[cfg(doctest)]
macro_rules! pages {
    ($($name:ident = $file:literal,)*) => {
        $(
            #[doc = include_str!(concat!("src/", $file))]
            pub mod $name {}
        )*
    };
}

#[cfg(doctest)]
pages! {
    introduction = "introduction.md",
    first_agent = "first-agent.md",
    attachments = "attachments.md",
    tools = "tools.md",
    partial_arguments = "partial-arguments.md",
    streaming = "streaming.md",
    approvals = "approvals.md",
    hooks = "hooks.md",
    typed_answers = "typed-answers.md",
    sessions = "sessions.md",
    hosted_tools = "hosted-tools.md",
    settings = "settings.md",
    durable_runs = "durable-runs.md",
    stores = "stores.md",
    policies = "policies.md",
    sandbox = "sandbox.md",
    mcp = "mcp.md",
    openapi = "openapi.md",
    ui_streams = "ui-streams.md",
    sub_agents = "sub-agents.md",
    gateway = "gateway.md",
    gateway_operations = "gateway-operations.md",
    testing = "testing.md",
    evals = "evals.md",
    parsing = "parsing.md",
    extension_points = "extension-points.md",
    wire_formats = "wire-formats.md",
    from_rig = "from-rig.md",
    from_ai_sdk = "from-ai-sdk.md",
}
