//! Names that decide what runs later, by kind (security 8, 19).

use windlass_hitl::{ApprovalHistory, Autonomy, Grants, Policy, Risk, Verdict, decide};
use windlass_protocol::{Target, TargetKind};

use crate::decide::{facts, read, write};

/// The names of the audit and others of their kinds.
const NAMES: [&str; 78] = [
    ".devcontainer.json",
    ".travis.yml",
    "azure-pipelines.yml",
    ".forgejo/workflows/a.yml",
    ".gitea/workflows/a.yml",
    ".buildkite/pipeline.yml",
    "lefthook.yml",
    "mise.toml",
    "rust-toolchain.toml",
    ".mvn/extensions.xml",
    ".mvn/wrapper/maven-wrapper.properties",
    ".yarn/releases/yarn-4.cjs",
    ".pnp.cjs",
    ".gdbinit",
    ".exrc",
    ".dir-locals.el",
    "opencode.json",
    ".kiro/hooks/a.json",
    ".qwen/settings.json",
    "AGENT.md",
    "copilot-instructions.md",
    "lefthook.toml",
    ".lefthook.yaml",
    "lefthook-local.yml",
    ".lintstagedrc.json",
    "lint-staged.config.mjs",
    ".huskyrc",
    "bitbucket-pipelines.yml",
    "appveyor.yml",
    ".drone.yml",
    ".woodpecker.yml",
    ".woodpecker/a.yml",
    ".cirrus.yml",
    ".semaphore/semaphore.yml",
    ".teamcity/settings.kts",
    "buildspec.yml",
    "cloudbuild.yaml",
    ".builds/a.yml",
    ".tekton/a.yaml",
    ".readthedocs.yaml",
    ".nvimrc",
    ".nvim.lua",
    ".vimrc",
    ".emacs.d/init.el",
    ".fleet/run.json",
    "x.sublime-project",
    ".luarc.json",
    ".gitpod.yml",
    "devbox.json",
    ".lldbinit",
    ".pdbrc",
    ".irbrc",
    ".pryrc",
    ".ghci",
    ".Rprofile",
    ".psqlrc",
    ".sqliterc",
    ".iex.exs",
    "sitecustomize.py",
    ".tool-versions",
    ".mise.local.toml",
    ".bash_aliases",
    ".tmux.conf",
    "devenv.nix",
    ".opencode/plugin/a.ts",
    "opencode.jsonc",
    ".crush.json",
    ".junie/guidelines.md",
    ".trae/rules/a.md",
    ".kilocode/mcp.json",
    ".cursorignore",
    "mcp.json",
    "CLAUDE.local.md",
    "QWEN.md",
    "bunfig.toml",
    "pip.conf",
    "NuGet.Config",
    "gradlew",
];

/// Ordinary work with similar names.
const ORDINARY: [&str; 24] = [
    "src/main.rs",
    "Makefile",
    "package.json",
    "Cargo.toml",
    "build.rs",
    "README.md",
    "docs/agents.rst",
    ".gitignore",
    ".editorconfig",
    ".prettierrc",
    "src/config",
    "refs/a",
    "objects/x",
    "docs/head.html",
    "mise/a.rs",
    "yarn.lock",
    ".yarn/cache/a.zip",
    "tsconfig.json",
    "tests/lefthook_test.py",
    "src/agent.rs",
    "src/mcp.rs",
    ".env.example",
    "docker-compose.yml",
    "src/head/mod.rs",
];

fn in_auto_edit(path: &str, target: Option<Target>) -> (Verdict, String, Risk) {
    let facts = facts("write_file", vec![write(path)]).with_autonomy(Autonomy::AutoEdit);
    let facts = facts.with_sight(target.into_iter().collect(), None);
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    (decision.verdict, decision.reason.rule_id, decision.risk)
}

#[test]
fn executable_configuration_is_asked_about_in_any_folder() {
    let asked = (Verdict::Ask, "p.protected".to_owned(), Risk::Critical);
    for name in NAMES {
        for path in [name.to_owned(), format!("deep/er/{name}"), name.to_uppercase(), format!("{name}. ")] {
            assert_eq!(in_auto_edit(&path, None), asked, "{path}");
        }
    }
}

#[test]
fn ordinary_names_are_decided_as_before() {
    for path in ORDINARY {
        assert_eq!(in_auto_edit(path, None).0, Verdict::Allow, "{path}");
    }
}

// security 8
#[test]
fn writes_that_make_a_folder_a_repository_are_asked_about() {
    let asked = (Verdict::Ask, "p.protected".to_owned(), Risk::Critical);
    for head in ["docs/HEAD", "HEAD", "a/b/../HEAD"] {
        assert_eq!(in_auto_edit(head, None), asked, "{head}");
    }
    let beside = |path: &str| Target {
        kind: TargetKind::File,
        links: 1,
        in_repository: true,
        ..Target::missing(path)
    };
    assert_eq!(in_auto_edit("docs/config", Some(beside("docs/config"))), asked);
    // Reading these names needs no question.
    let facts = facts("read_file", vec![read("docs/config")]).with_sight(vec![beside("docs/config")], None);
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    assert_eq!(decision.verdict, Verdict::Allow);
}
