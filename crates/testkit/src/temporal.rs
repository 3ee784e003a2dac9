//! A development server of Temporal for a test: one process with its database in a folder.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The variable that `cargo xtask temporal` sets to the pinned program.
const PROGRAM: &str = "WINDLASS_TEMPORAL";

/// A server process with its database in a folder. Dropping it kills the process.
#[derive(Debug)]
pub struct TemporalServer {
    program: PathBuf,
    database: PathBuf,
    port: u16,
    child: Child,
}

impl TemporalServer {
    /// Returns the pinned server program.
    ///
    /// # Errors
    /// Returns an error if the program is not installed. Pass it to [`require!`](crate::require) with
    /// [`Need::Temporal`](crate::Need::Temporal).
    pub fn find_program() -> Result<PathBuf, String> {
        let program = std::env::var_os(PROGRAM)
            .ok_or("`cargo xtask temporal` installs the server and sets its path")?;
        let program = PathBuf::from(program);
        if program.is_file() { Ok(program) } else { Err(format!("{} is not a file", program.display())) }
    }

    /// Starts a server with a new database, and waits until it serves.
    ///
    /// # Errors
    /// Returns an error if the program fails or does not serve within a minute.
    pub fn start(program: &Path, folder: &Path) -> Result<Self, String> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        drop(listener);
        let database = folder.join("temporal.db");
        let child = spawn(program, &database, port)?;
        let server = Self { program: program.to_owned(), database, port, child };
        server.wait_until_serving()?;
        Ok(server)
    }

    /// Returns the program of the server.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the address of the namespace `default`.
    pub fn address(&self) -> String {
        format!("temporal://127.0.0.1:{}/default", self.port)
    }

    /// Returns the file of the database.
    pub fn database(&self) -> &Path {
        &self.database
    }

    /// Kills the server with SIGKILL, and starts it again over its database after a pause.
    ///
    /// # Errors
    /// Returns an error if the server does not serve again.
    pub fn restart(&mut self, pause: Duration) -> Result<(), String> {
        self.kill();
        std::thread::sleep(pause);
        self.child = spawn(&self.program, &self.database, self.port)?;
        self.wait_until_serving()
    }

    fn kill(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }

    fn wait_until_serving(&self) -> Result<(), String> {
        let until = Instant::now() + Duration::from_mins(1);
        let address = format!("127.0.0.1:{}", self.port);
        while Instant::now() < until {
            let health = Command::new(&self.program)
                .args(["operator", "cluster", "health", "--address", &address])
                .stdin(Stdio::null())
                .output()
                .map_err(|error| error.to_string())?;
            if String::from_utf8_lossy(&health.stdout).contains("SERVING") {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err("the server does not serve".to_owned())
    }
}

impl Drop for TemporalServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(program: &Path, database: &Path, port: u16) -> Result<Child, String> {
    Command::new(program)
        .args(["server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", &port.to_string()])
        .arg("--db-filename")
        .arg(database)
        .args(["--log-level", "never"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())
}
