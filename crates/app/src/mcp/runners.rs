//! Programs that run commands from a project's files (`npm`, `make`, `uv`), by kind, with the files that
//! determine these commands.

use std::collections::BTreeSet;

use windlass_command::{Certainty, Scan};

/// A kind of programs, with the files that control them. Each field is a list of names, separated
/// by spaces.
struct Kind {
    /// Names of the programs, without folder and version.
    programs: &'static str,
    /// Files that determine what runs, in the program's working directory or in an ancestor of it. A name of
    /// the form `*.ext` matches all files with that ending.
    files: &'static str,
    /// Files in the same folders that only fix versions and locations. They name no script.
    locks: &'static str,
    /// Folders in the same folders in which a bare name is looked up as a program.
    bins: &'static str,
}

const KINDS: &[Kind] = &[
    Kind {
        programs: "node nodejs electron pm2 forever",
        files: "package.json ecosystem.config.js ecosystem.config.cjs ecosystem.json process.json",
        locks: "",
        bins: "node_modules/.bin",
    },
    Kind {
        programs: "npm npx pnpm pnpx pnx yarn yarnpkg bun bunx corepack ni nr nlx tsx ts-node esno nodemon turbo nx \
                   lerna rush lage wireit npm-run-all npm-run-all2 run-s run-p concurrently zx dotenvx vite-node volta",
        files: "package.json package.json5 package.yaml turbo.json nx.json lerna.json rush.json tsconfig.json \
                nodemon.json pnpm-workspace.yaml .npmrc .yarnrc .yarnrc.yml bunfig.toml .bunfig.toml .pnpmfile.cjs \
                .pnpmfile.mjs pnpmfile.js .pnp.cjs .pnp.loader.mjs",
        locks: "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb",
        bins: "node_modules/.bin",
    },
    Kind {
        programs: "deno",
        files: "deno.json deno.jsonc import_map.json package.json",
        locks: "deno.lock",
        bins: "node_modules/.bin",
    },
    Kind {
        programs: "make gmake bmake nmake mingw32-make remake colormake",
        files: "GNUmakefile makefile Makefile BSDmakefile",
        locks: "",
        bins: "",
    },
    Kind { programs: "just", files: "justfile Justfile JUSTFILE .justfile .env", locks: "", bins: "" },
    Kind {
        programs: "task go-task",
        files: "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml taskfile.dist.yml \
                Taskfile.dist.yaml taskfile.dist.yaml .taskrc.yml .taskrc.yaml .env",
        locks: "",
        bins: "",
    },
    Kind {
        programs: "mask maid xc runme argc run_task",
        files: "maskfile.md maidfile.md README.md Argcfile.sh argcfile.sh",
        locks: "",
        bins: "",
    },
    Kind {
        programs: "mise rtx asdf direnv proto hermit pkgx flox",
        files: "mise.toml .mise.toml mise.local.toml .mise.local.toml mise/config.toml .mise/config.toml \
                .config/mise.toml .config/mise/config.toml .rtx.toml .tool-versions .prototools .envrc .env \
                .pkgx.yaml pkgx.yaml",
        locks: "mise.lock",
        bins: "bin",
    },
    Kind {
        programs: "foreman overmind hivemind honcho goreman forego nf process-compose mprocs",
        files: "Procfile Procfile.dev .foreman .overmind.env .env process-compose.yaml process-compose.yml mprocs.yaml",
        locks: "",
        bins: "",
    },
    Kind {
        programs: "cargo cargo-run cargo-make makers cargo-watch bacon trunk dx",
        files: "Cargo.toml .cargo/config.toml .cargo/config rust-toolchain.toml rust-toolchain build.rs src/main.rs \
                xtask/Cargo.toml xtask/src/main.rs Makefile.toml bacon.toml Trunk.toml Dioxus.toml",
        locks: "Cargo.lock",
        bins: "",
    },
    Kind {
        programs: "python pypy ipython",
        files: "sitecustomize.py usercustomize.py",
        locks: "pyvenv.cfg",
        bins: ".venv/bin venv/bin",
    },
    Kind {
        programs: "uv uvx pip pipx poetry pdm hatch rye tox nox pipenv invoke inv fab doit conda mamba micromamba \
                   pixi flask uvicorn gunicorn fastapi fastmcp mcp pytest django-admin",
        files: "pyproject.toml uv.toml poetry.toml .pdm.toml hatch.toml setup.py setup.cfg requirements.txt Pipfile \
                tox.ini noxfile.py tasks.py fabfile.py dodo.py pixi.toml environment.yml environment.yaml pytest.ini \
                conftest.py fastmcp.json .env sitecustomize.py usercustomize.py",
        locks: "uv.lock poetry.lock pdm.lock Pipfile.lock pylock.toml pixi.lock .python-version",
        bins: ".venv/bin venv/bin",
    },
    Kind {
        programs: "ruby bundle bundler rake rails thor rackup puma",
        files: "Gemfile gems.rb .bundle/config Rakefile rakefile Rakefile.rb rakefile.rb Thorfile config.ru *.gemspec",
        locks: "Gemfile.lock gems.locked .ruby-version",
        bins: "bin",
    },
    Kind {
        programs: "php composer artisan castor",
        files: "composer.json castor.php php.ini .user.ini",
        locks: "composer.lock",
        bins: "vendor/bin bin",
    },
    Kind {
        programs: "go mage air gow wgo",
        files: "go.mod go.work main.go magefile.go .air.toml vendor/modules.txt",
        locks: "go.sum go.work.sum",
        bins: "",
    },
    Kind {
        programs: "gradle gradlew mvn mvnw mvnd ant sbt mill lein clj clojure bb jbang java kotlin groovy scala scala-cli",
        files: "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties pom.xml build.xml \
                gradle/wrapper/gradle-wrapper.properties gradle/libs.versions.toml .mvn/maven.config .mvn/jvm.config \
                .mvn/extensions.xml .mvn/wrapper/maven-wrapper.properties build.properties build.sbt \
                project/build.properties project/plugins.sbt build.mill build.sc project.clj deps.edn bb.edn \
                jbang-catalog.json",
        locks: "gradle/wrapper/gradle-wrapper.jar .mvn/wrapper/maven-wrapper.jar gradle.lockfile",
        bins: "",
    },
    Kind {
        programs: "dotnet msbuild nuget",
        files: "global.json Directory.Build.props Directory.Build.targets Directory.Packages.props nuget.config \
                NuGet.Config .config/dotnet-tools.json Program.cs *.csproj *.fsproj *.vbproj *.sln *.slnx",
        locks: "packages.lock.json",
        bins: "",
    },
    Kind {
        programs: "mix iex elixir rebar3 gleam",
        files: "mix.exs config/config.exs config/runtime.exs rebar.config gleam.toml .iex.exs",
        locks: "mix.lock rebar.lock manifest.toml",
        bins: "",
    },
    Kind {
        programs: "swift zig cabal stack dune opam esy lake dart flutter julia rscript r nimble crystal shards vlang",
        files: "Package.swift build.zig build.zig.zon cabal.project cabal.project.local *.cabal stack.yaml package.yaml \
                dune-project dune dune-workspace esy.json lakefile.lean lakefile.toml lean-toolchain pubspec.yaml \
                Project.toml JuliaProject.toml .Rprofile .Renviron *.nimble shard.yml v.mod",
        locks: "Package.resolved stack.yaml.lock lake-manifest.json pubspec.lock Manifest.toml renv.lock shard.lock",
        bins: "",
    },
    Kind {
        programs: "nix nix-shell nix-build devbox devenv nom",
        files: "flake.nix shell.nix default.nix devbox.json devenv.nix devenv.yaml .envrc",
        locks: "flake.lock devbox.lock devenv.lock",
        bins: "",
    },
    Kind {
        programs: "docker docker-compose podman podman-compose nerdctl buildah devcontainer tilt skaffold earthly dagger \
                   vagrant act",
        files: "compose.yaml compose.yml docker-compose.yaml docker-compose.yml compose.override.yaml \
                compose.override.yml docker-compose.override.yaml docker-compose.override.yml Dockerfile Containerfile \
                docker-bake.hcl docker-bake.json .env .devcontainer/devcontainer.json .devcontainer.json Tiltfile \
                skaffold.yaml Earthfile dagger.json Vagrantfile .actrc",
        locks: "",
        bins: "",
    },
    Kind {
        programs: "cmake ninja samu meson bazel bazelisk buck buck2 pants scons waf xmake premake5 tup please plz",
        files: "CMakeLists.txt CMakePresets.json CMakeUserPresets.json build.ninja meson.build MODULE.bazel WORKSPACE \
                WORKSPACE.bazel BUILD BUILD.bazel BUCK .bazelrc .bazeliskrc .buckconfig pants.toml pants SConstruct wscript \
                xmake.lua premake5.lua Tupfile .plzconfig",
        locks: "MODULE.bazel.lock .bazelversion",
        bins: "tools",
    },
];

/// Files and folders that control the programs of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RunnerFiles {
    /// Files that determine what runs. A name of the form `*.ext` matches all files with that ending.
    pub(super) files: BTreeSet<&'static str>,
    /// Files that fix versions and locations.
    pub(super) locks: BTreeSet<&'static str>,
    /// Folders in which bare names are looked up.
    pub(super) bins: BTreeSet<&'static str>,
}

impl RunnerFiles {
    /// Finds the deciding files of a command. A program counts even if the command runs it only through an
    /// expansion of the shell or through another program. If the command cannot be parsed completely, all kinds count.
    pub(super) fn find(command: &[String]) -> Self {
        let scan = Scan::scan_argv(command);
        let is_whole = scan.certainty() == Certainty::Whole;
        let mut deciding = Self::default();
        for kind in KINDS {
            if !is_whole || kind.programs.split_ascii_whitespace().any(|program| scan.may_run(&[program])) {
                deciding.files.extend(kind.files.split_ascii_whitespace());
                deciding.locks.extend(kind.locks.split_ascii_whitespace());
                deciding.bins.extend(kind.bins.split_ascii_whitespace());
            }
        }
        deciding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decides(command: &[&str], file: &str) -> bool {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        let deciding = RunnerFiles::find(&command);
        deciding.files.contains(file) || deciding.locks.contains(file)
    }

    #[test]
    fn a_program_is_found_by_its_kind_behind_wrappers_and_in_shells() {
        for (command, file) in [
            (&["npm", "run", "x"][..], "package.json"),
            (&["/usr/bin/npx", "--prefix", "tools", "srv"], "package-lock.json"),
            (&["pnpm", "dlx", "x"], "pnpm-lock.yaml"),
            (&["yarn", "x"], ".yarnrc.yml"),
            (&["bun", "run", "x"], "bunfig.toml"),
            (&["node", "."], "package.json"),
            (&["make", "-s", "x"], "GNUmakefile"),
            (&["just", "x"], "justfile"),
            (&["task", "x"], "Taskfile.yml"),
            (&["cargo", "xtask", "serve"], ".cargo/config.toml"),
            (&["uv", "run", "srv"], "pyproject.toml"),
            (&["python3.12", "-m", "pkg"], "sitecustomize.py"),
            (&["deno", "task", "x"], "deno.json"),
            (&["docker", "compose", "run", "x"], "compose.yaml"),
            (&["sh", "-c", "cd x && exec make srv"], "Makefile"),
            (&["env", "-C", "x", "A=b", "timeout", "9", "npm", "start"], "package.json"),
            (&["frobnicate", "npm", "start"], "package.json"),
            (&["sh", "-c", "$RUNNER x"], "Makefile"),
            (&["./gradlew", "run"], "build.gradle"),
        ] {
            assert!(decides(command, file), "{command:?}: {file}");
        }
        for (command, file) in [
            (&["docs"][..], "package.json"),
            (&["sh", "-c", "grep make x; ./srv.sh"], "Makefile"),
            (&["make", "x"], "package.json"),
        ] {
            assert!(!decides(command, file), "{command:?}: {file}");
        }
    }

    #[test]
    fn no_program_has_two_kinds_and_no_name_leaves_the_folder() {
        let programs: Vec<&str> =
            KINDS.iter().flat_map(|kind| kind.programs.split_ascii_whitespace()).collect();
        assert_eq!(programs.iter().collect::<BTreeSet<_>>().len(), programs.len());
        for kind in KINDS {
            let names = [kind.files, kind.locks, kind.bins];
            for name in names.iter().flat_map(|names| names.split_ascii_whitespace()) {
                assert!(!name.starts_with('/') && !name.contains(".."), "{name}");
            }
        }
    }
}
