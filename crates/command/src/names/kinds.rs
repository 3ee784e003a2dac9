//! Names of configuration files that other programs execute without being asked, by the kind of program that
//! reads them.
//!
//! A single list of names is never complete. Each kind has its own list, which gives a missing name an
//! obvious place; names with many variants are recognised by their prefix or suffix.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The kind of program that reads a configuration file and executes its commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtectedKind {
    /// Editors, language servers and development containers.
    Editor,
    /// Debuggers and interactive interpreters that run a start-up file of the current folder.
    Interpreter,
    /// Services that build and test every push.
    Pipeline,
    /// Managers of git hooks.
    Hook,
    /// Shells, terminals and tool version managers.
    Shell,
    /// Coding agents: their rules, tools, servers and ignore files.
    Agent,
    /// Package managers and build wrappers.
    Package,
}

/// Names by kind, in lower case, separated by spaces.
const NAMES: [(ProtectedKind, &str); 7] = [
    (
        ProtectedKind::Editor,
        ".devcontainer.json .exrc .nvimrc .nvim.lua .vimrc _vimrc .gvimrc _gvimrc .lvimrc .vim .nvim \
         .lazy.lua .neoconf.json .nlsp-settings .luarc.json .luarc.jsonc .emacs .emacs.d .dir-locals.el \
         .dir-locals-2.el .fleet .helix .kakrc .kateproject .vs .theia .atom .nova .sublime .vscode-server \
         .vscode-insiders .gitpod.yml .gitpod.yaml .gitpod.dockerfile .idx .replit replit.nix .codesandbox \
         .stackblitzrc devbox.json .devfile.yaml devfile.yaml .phpactor.json .phpactor.yml .tern-project \
         .ycm_extra_conf.py .ccls",
    ),
    (
        ProtectedKind::Interpreter,
        ".gdbinit .gdbearlyinit .lldbinit .lldbinit-xcode .pdbrc .pdbrc.py .rdbgrc .rdbgrc.rb .byebugrc \
         .pryrc .irbrc .ghci .haskeline .rprofile .renviron .octaverc .sqliterc .psqlrc .mongorc.js \
         .mongoshrc.js .iex.exs .ocamlinit .utoprc .pythonrc .pythonrc.py .pythonstartup sitecustomize.py \
         usercustomize.py .noderc .juliarc.jl .clojure .lein .perldb .tclshrc .wishrc .radare2rc .rizinrc \
         .gforthrc .guile .sbclrc .eclrc .racketrc",
    ),
    (
        ProtectedKind::Pipeline,
        ".travis.yml .travis.yaml azure-pipelines.yml azure-pipelines.yaml .azure-pipelines .azuredevops \
         .vsts-ci.yml .forgejo .gitea .gitlab .gitlab-ci.yaml .gitlab-ci .buildkite bitbucket-pipelines.yml \
         bitbucket-pipelines.yaml appveyor.yml .appveyor.yml .drone.yml .drone.yaml .drone.star \
         .drone.jsonnet .woodpecker .woodpecker.yml .woodpecker.yaml .crow .cirrus.yml .cirrus.yaml \
         .cirrus.star .semaphore .teamcity wercker.yml .wercker.yml codeship-services.yml codeship-steps.yml \
         buildspec.yml buildspec.yaml cloudbuild.yml cloudbuild.yaml cloudbuild.json .builds .build.yml \
         .tekton .harness screwdriver.yaml .zuul.yaml .zuul.d zuul.yaml zuul.d .taskcluster.yml \
         .onedev-buildspec.yml .evergreen.yml .scrutinizer.yml shippable.yml .shippable.yml .space.kts \
         bamboo-specs .codebuild .concourse .prow.yaml .packit.yaml .packit.yml .copr .obs .gocd.yaml \
         .gocd.yml .jenkins .jenkinsfile .github-actions .act .actrc .readthedocs.yml .readthedocs.yaml \
         readthedocs.yml ci_scripts .mergify.yml .bazelci .buildbot codemagic.yaml bitrise.yml .dagger \
         dagger.json",
    ),
    (
        ProtectedKind::Hook,
        ".pre-commit-config.yml .pre-commit-hooks.yaml prek.toml .overcommit.yml .overcommit.yaml \
         captainhook.json grumphp.yml grumphp.yaml grumphp.yml.dist .rusty-hook.toml .cargo-husky .hooks \
         .git-hooks .githooks.json git-hooks.nix .yorkie .lefthook .lefthook-local .pre-commit .hk hk.pkl \
         hk.toml",
    ),
    (
        ProtectedKind::Shell,
        "mise.toml .mise.toml mise.local.toml .mise.local.toml .mise .rtx.toml .rtx .tool-versions .asdfrc \
         .autoenv .autoenv.zsh .autoenv_leave.zsh .envrc.local .envrc.private .bash_aliases .bash_functions \
         .aliases .kshrc .mkshrc .cshrc .tcshrc .login .logout .zlogin.local .zshrc.local .zimrc .zpreztorc \
         .p10k.zsh .oh-my-zsh .xonshrc .xonsh config.fish .fishrc .fish .nushell .pwsh profile.ps1 \
         microsoft.powershell_profile.ps1 .tmux.conf .tmux .tmuxinator.yml .tmuxinator.yaml .tmuxp.yaml \
         .tmuxp.json .screenrc .byobu .wezterm.lua .xsession .xsessionrc .xserverrc devenv.nix devenv.yaml \
         .flox .pkgx.yaml pkgx.yaml .proto .prototools .hermit .starship.toml",
    ),
    (
        ProtectedKind::Agent,
        "agent.md agents.local.md agents.override.md claude.local.md qwen.md crush.md warp.md \
         copilot-instructions.md .copilot .github-copilot .kiro .qwen opencode.json opencode.jsonc .opencode \
         .opencode.json .crush crush.json .crush.json .goose .gooseignore .amp .ampcode .junie .trae \
         .kilocode .kilocodemodes .cline .codeium .tabnine .sourcegraph .cody .plandex .openhands \
         .openhands_instructions .devin .jules .factory .augment-guidelines .rules .void .voidrules .pearai \
         .firebender firebender.json .rovodev .zencoder .agent .agents .mcp mcp.json mcp.jsonc .mcp.jsonc \
         .vibe .kimi .serena .taskmaster .warp .letta .codebuddy .lingma .iflow .grok .antigravity \
         .cursorignore .cursorindexingignore .geminiignore .aiexclude .claudeignore .codeiumignore \
         .clineignore .rooignore .kilocodeignore .aiignore .augmentignore .claude.json .claude-plugin \
         .cursor-plugin gemini-extension.json .aiassistant",
    ),
    (
        ProtectedKind::Package,
        ".pnp.cjs .pnp.js .pnp.loader.mjs .pnpmfile.js .pnpmfile.mjs .pnpmrc pnpmfile.js .yarnrc.yaml \
         bunfig.toml .bunfig.toml .bowerrc .npmrc.local pip.conf pip.ini .pip .pydistutils.cfg .condarc \
         uv.toml .uv.toml poetry.toml .pdm.toml .pdm-python .gemrc .bundle .composer nuget.config .nuget \
         directory.build.props directory.build.targets directory.build.rsp directory.packages.props \
         msbuild.rsp dotnet-tools.json rust-toolchain rust-toolchain.toml .rustup .mvn mvnw mvnw.cmd gradlew \
         gradlew.bat gradle-wrapper.properties gradle-wrapper.jar init.gradle init.gradle.kts init.d .sbtopts \
         .jvmopts .sdkmanrc .jabbarc .mill-version .bazelrc .bazeliskrc .bazelversion user.bazelrc \
         .buckconfig .buckconfig.local .pants.rc .swiftpm .terraformrc terraform.rc .tofurc .opam .cabal \
         .stack .luarocks .cpanm .cpan .hex .mix .jspm .volta .corepack.env .node-gyp",
    ),
];

/// Prefixes of names that exist with many endings.
const STARTS: [(ProtectedKind, &str); 18] = [
    (ProtectedKind::Hook, "lefthook."),
    (ProtectedKind::Hook, ".lefthook."),
    (ProtectedKind::Hook, "lefthook-local."),
    (ProtectedKind::Hook, ".lefthook-local."),
    (ProtectedKind::Hook, ".lintstagedrc"),
    (ProtectedKind::Hook, "lint-staged.config."),
    (ProtectedKind::Hook, ".huskyrc"),
    (ProtectedKind::Hook, "husky.config."),
    (ProtectedKind::Hook, "simple-git-hooks."),
    (ProtectedKind::Hook, ".simple-git-hooks."),
    (ProtectedKind::Hook, ".commitlintrc"),
    (ProtectedKind::Shell, "mise."),
    (ProtectedKind::Shell, ".mise."),
    (ProtectedKind::Agent, ".aider"),
    (ProtectedKind::Agent, ".clinerules"),
    (ProtectedKind::Agent, ".roorules"),
    (ProtectedKind::Agent, ".roomodes"),
    (ProtectedKind::Agent, ".goosehints"),
];

/// Suffixes of names.
const ENDS: [(ProtectedKind, &str); 8] = [
    (ProtectedKind::Editor, ".code-workspace"),
    (ProtectedKind::Editor, ".sublime-project"),
    (ProtectedKind::Editor, ".sublime-build"),
    (ProtectedKind::Agent, ".instructions.md"),
    (ProtectedKind::Agent, ".chatmode.md"),
    (ProtectedKind::Agent, ".prompt.md"),
    (ProtectedKind::Agent, ".agent.md"),
    (ProtectedKind::Agent, ".mdc"),
];

/// Pairs of a folder and a name that is protected only inside this folder. The folder as a whole is not
/// protected, because programs write to the rest of it all the time.
const IN_FOLDERS: [(ProtectedKind, &str, &str); 12] = [
    (ProtectedKind::Package, ".yarn", "releases"),
    (ProtectedKind::Package, ".yarn", "plugins"),
    (ProtectedKind::Package, ".yarn", "sdks"),
    (ProtectedKind::Package, ".gradle", "init.d"),
    (ProtectedKind::Package, ".gradle", "gradle.properties"),
    (ProtectedKind::Package, ".m2", "settings.xml"),
    (ProtectedKind::Package, ".config", "nextest.toml"),
    (ProtectedKind::Shell, ".config", "mise.toml"),
    (ProtectedKind::Shell, ".config", "fish"),
    (ProtectedKind::Shell, ".config", "direnv"),
    (ProtectedKind::Editor, ".config", "nvim"),
    (ProtectedKind::Editor, ".config", "autostart"),
];

/// Every path of a call is looked up, so the lists become a hash table on first use.
static KINDS: LazyLock<HashMap<&str, ProtectedKind>> = LazyLock::new(|| {
    let each = |(kind, names): &(ProtectedKind, &'static str)| {
        let kind = *kind;
        names.split_ascii_whitespace().map(move |name| (name, kind))
    };
    NAMES.iter().flat_map(each).collect()
});

/// Returns the kind of program that executes the configuration of a folded name.
pub(super) fn find_kind(name: &str) -> Option<ProtectedKind> {
    KINDS
        .get(name)
        .copied()
        .or_else(|| STARTS.iter().find(|(_, start)| name.starts_with(start)).map(|(kind, _)| *kind))
        .or_else(|| ENDS.iter().find(|(_, end)| name.ends_with(end)).map(|(kind, _)| *kind))
}

/// Returns the kind for a folded name inside a folder with a folded name.
pub(super) fn find_kind_in_folder(folder: &str, name: &str) -> Option<ProtectedKind> {
    let fits = |pair: &&(ProtectedKind, &str, &str)| pair.1 == folder && pair.2 == name;
    IN_FOLDERS.iter().find(fits).map(|(kind, _, _)| *kind)
}
