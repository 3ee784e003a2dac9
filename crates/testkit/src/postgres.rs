//! A PostgreSQL server for a test: a temporary folder, a Unix socket, and no privileges.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// The user and group of the server where the test is root: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65534;
/// The number of attempts to start a server.
const ATTEMPTS: u32 = 50;

/// A running server. It ends, and its folder is removed, when this value is dropped.
///
/// The server of [`start`](Self::start) does not sync its files, because a test kills processes and not the
/// machine.
#[derive(Debug)]
pub struct PostgresServer {
    programs: PathBuf,
    folder: tempfile::TempDir,
    is_root: bool,
    is_synced: bool,
}

impl PostgresServer {
    /// Starts a server with an empty database.
    ///
    /// # Errors
    /// Returns an error if the programs are missing or fail. Pass it to [`require!`](crate::require) with
    /// [`Need::Postgres`](crate::Need::Postgres).
    pub fn start() -> Result<Self, String> {
        Self::start_with(false)
    }

    /// Starts a server that syncs its files at each commit, for measurements.
    ///
    /// # Errors
    /// Like [`start`](Self::start).
    pub fn start_synced() -> Result<Self, String> {
        Self::start_with(true)
    }

    fn start_with(is_synced: bool) -> Result<Self, String> {
        let programs = find_programs().ok_or("initdb and pg_ctl are not installed")?;
        let folder =
            tempfile::Builder::new().prefix("windlass-pg").tempdir().map_err(|error| text(&error))?;
        let owner = fs::metadata(folder.path()).map_err(|error| text(&error))?;
        let is_root = std::os::unix::fs::MetadataExt::uid(&owner) == 0;
        if is_root {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).map_err(|error| text(&error))?;
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711))
                .map_err(|error| text(&error))?;
        }
        let server = Self { programs, folder, is_root, is_synced };
        let data = server.data();
        let words = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"];
        server.call("initdb", |command| command.args(words).arg("-D").arg(&data))?;
        server.resume()?;
        Ok(server)
    }

    /// Returns the address of the database `postgres`.
    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// Creates a database and returns its address.
    ///
    /// # Errors
    /// Returns an error if the server refuses.
    pub fn create_database(&self, name: &str) -> Result<String, String> {
        let folder = self.folder.path();
        self.call("createdb", |command| {
            command.arg("--host").arg(folder).args(["--username=postgres", name])
        })?;
        Ok(self.url_of(name))
    }

    /// Kills the server as a crash would, without a shutdown.
    ///
    /// # Errors
    /// Returns an error if the server does not run.
    pub fn crash(&self) -> Result<(), String> {
        let pid = fs::read_to_string(self.data().join("postmaster.pid")).map_err(|error| text(&error))?;
        let pid = pid.lines().next().unwrap_or_default().to_owned();
        let killed = Command::new("kill").args(["-9", &pid]).status().map_err(|error| text(&error))?;
        if killed.success() { Ok(()) } else { Err(format!("process {pid} cannot be killed")) }
    }

    /// Starts the server on its data again, after a crash too.
    ///
    /// # Errors
    /// Returns an error if the server does not start.
    pub fn resume(&self) -> Result<(), String> {
        // The processes of a killed server end one after the other, and until then a new one does not start.
        let mut attempt = 1;
        loop {
            match self.start_once() {
                Err(_) if attempt < ATTEMPTS => {
                    attempt += 1;
                    std::thread::sleep(Duration::from_millis(200));
                }
                started => return started,
            }
        }
    }

    fn start_once(&self) -> Result<(), String> {
        let folder = self.folder.path();
        let options = format!(
            "-k {} -c listen_addresses= -c fsync={}",
            folder.display(),
            if self.is_synced { "on" } else { "off" }
        );
        let (data, log) = (self.data(), folder.join("log"));
        self.call("pg_ctl", |command| {
            command.args(["start", "-w", "-D"]).arg(data).arg("-l").arg(log).arg("-o").arg(options)
        })
    }

    fn url_of(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&user=postgres", self.folder.path().display())
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn call(&self, program: &str, add: impl FnOnce(&mut Command) -> &mut Command) -> Result<(), String> {
        let mut command = Command::new(self.programs.join(program));
        add(&mut command).current_dir(self.folder.path()).stdin(Stdio::null());
        if self.is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        // The server inherits the output of `pg_ctl`; a pipe would stay open as long as the server.
        let said = self.folder.path().join(format!("{program}.said"));
        let file = fs::File::create(&said).map_err(|error| text(&error))?;
        command.stdout(file.try_clone().map_err(|error| text(&error))?).stderr(file);
        let ended = command.output().map_err(|error| text(&error))?;
        check(program, &ended, &said)
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        let data = self.data();
        drop(self.call("pg_ctl", |command| command.args(["stop", "-w", "-m", "immediate", "-D"]).arg(data)));
    }
}

fn check(program: &str, ended: &Output, said: &Path) -> Result<(), String> {
    if ended.status.success() {
        return Ok(());
    }
    Err(format!("{program}: {}", fs::read_to_string(said).unwrap_or_default().trim()))
}

fn text(error: &io::Error) -> String {
    error.to_string()
}

/// The programs that a test starts.
const PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "createdb"];

/// Finds the folder of the server's programs: in the search path, or where Debian installs them.
fn find_programs() -> Option<PathBuf> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&search).collect();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    folders.extend(versions.filter_map(|version| Some(version.ok()?.path().join("bin"))));
    folders.into_iter().find(|folder| PROGRAMS.iter().all(|name| folder.join(name).is_file()))
}
