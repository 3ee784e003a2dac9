//! The devices that may use a server, and their tokens.

use std::fmt::{self, Write as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::private_file;

/// Number of random bytes of a token.
const TOKEN_BYTES: usize = 32;

/// Largest number of devices.
const DEVICES: usize = 100;

/// A device that may use a server: a browser or a program of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Device {
    /// Id of the device.
    pub id: String,
    /// The user's name of the device.
    pub name: String,
    /// Time at which the device was added, in milliseconds since 1970.
    pub added_ms: u64,
    /// SHA-256 of the token, in hexadecimal digits. The token itself is not stored.
    token_hash: String,
}

/// The error of the file of devices.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The file cannot be read or written.
    #[error("the file of devices {} cannot be used", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file exists and is not a list of devices.
    #[error("{} is not a list of devices", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
    /// The operating system returned no random bytes.
    #[error("the operating system returned no random bytes")]
    Random,
    /// The list is full.
    #[error("{DEVICES} devices are registered; revoke one first")]
    Full,
    /// The device does not exist.
    #[error("the device {id} does not exist")]
    Unknown {
        /// The id.
        id: String,
    },
}

/// The registered devices, in a file that only the user can read. Each method reads the file again, so a device that
/// another process revokes loses its access at once.
///
/// ```
/// use windlass_server::Devices;
///
/// let folder = tempfile::tempdir()?;
/// let devices = Devices::new(folder.path().join("devices.json"));
/// let (device, token) = devices.add("phone", 1_790_000_000_000)?;
/// assert_eq!(devices.find(&token)?.map(|found| found.id), Some(device.id.clone()));
/// devices.revoke(&device.id)?;
/// assert!(devices.find(&token)?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Devices {
    path: PathBuf,
    /// Serializes the changes of this process.
    change: Mutex<()>,
}

impl Devices {
    /// Uses this file, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), change: Mutex::new(()) }
    }

    /// Returns the devices, in the order in which they were added.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be read.
    pub fn list(&self) -> Result<Vec<Device>, DeviceError> {
        read(&self.path)
    }

    /// Registers a device, and returns it with its token. The token cannot be read again.
    ///
    /// # Errors
    ///
    /// Fails if the list is full, or if the file cannot be read or written.
    pub fn add(&self, name: &str, now_ms: u64) -> Result<(Device, String), DeviceError> {
        let token = URL_SAFE_NO_PAD.encode(random::<TOKEN_BYTES>()?);
        let id = hex(&random::<6>()?);
        let name: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
        let device = Device { id, name, added_ms: now_ms, token_hash: hash(&token) };
        let _change = self.lock();
        let mut devices = self.list()?;
        if devices.len() >= DEVICES {
            return Err(DeviceError::Full);
        }
        devices.push(device.clone());
        self.write(&devices)?;
        Ok((device, token))
    }

    /// Returns the device with this token. The time does not depend on the token's content.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be read.
    pub fn find(&self, token: &str) -> Result<Option<Device>, DeviceError> {
        let wanted = hash(token);
        Ok(self.list()?.into_iter().find(|device| is_equal(&device.token_hash, &wanted)))
    }

    /// Returns whether a device with this id is registered.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be read.
    pub fn contains(&self, id: &str) -> Result<bool, DeviceError> {
        Ok(self.list()?.iter().any(|device| device.id == id))
    }

    /// Removes a device.
    ///
    /// # Errors
    ///
    /// Fails if the device does not exist, or if the file cannot be read or written.
    pub fn revoke(&self, id: &str) -> Result<Device, DeviceError> {
        let _change = self.lock();
        let mut devices = self.list()?;
        let Some(at) = devices.iter().position(|device| device.id == id) else {
            return Err(DeviceError::Unknown { id: id.to_owned() });
        };
        let removed = devices.remove(at);
        self.write(&devices)?;
        Ok(removed)
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.change.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, devices: &[Device]) -> Result<(), DeviceError> {
        let file = |source| DeviceError::File { path: self.path.clone(), source };
        let json = serde_json::to_vec_pretty(devices)
            .map_err(|source| DeviceError::Format { path: self.path.clone(), source })?;
        private_file::write(&self.path, &json).map_err(file)
    }
}

impl fmt::Debug for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Devices").field("path", &self.path).finish_non_exhaustive()
    }
}

fn read(path: &Path) -> Result<Vec<Device>, DeviceError> {
    let file = |source| DeviceError::File { path: path.to_owned(), source };
    let Some(text) = private_file::read(path).map_err(file)? else { return Ok(Vec::new()) };
    serde_json::from_slice(&text).map_err(|source| DeviceError::Format { path: path.to_owned(), source })
}

fn random<const N: usize>() -> Result<[u8; N], DeviceError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| DeviceError::Random)?;
    Ok(bytes)
}

/// Returns the SHA-256 of a text in hexadecimal digits.
pub(crate) fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Compares two texts in a time that depends on their lengths only.
pub(crate) fn is_equal(one: &str, other: &str) -> bool {
    let differences = one.bytes().zip(other.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hash_of_a_token_is_stored_and_others_cannot_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/devices.json");
        let devices = Devices::new(&path);
        let (_, token) = devices.add("phone\u{1b}[31m", 5).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains(&token) && text.contains("phone[31m"), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert!(devices.find(&token).unwrap().is_some());
        assert!(devices.find("").unwrap().is_none());
        assert!(devices.find(&token[1..]).unwrap().is_none());
        assert!(matches!(devices.revoke("x"), Err(DeviceError::Unknown { .. })));
    }

    #[test]
    fn a_damaged_file_admits_no_device_and_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("devices.json");
        std::fs::write(&path, "{").unwrap();
        let devices = Devices::new(&path);
        assert!(matches!(devices.find("x"), Err(DeviceError::Format { .. })));
        assert!(devices.add("phone", 1).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{");
    }

    #[test]
    fn the_number_of_devices_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let devices = Devices::new(folder.path().join("devices.json"));
        for _ in 0..DEVICES {
            devices.add("x", 1).unwrap();
        }
        assert!(matches!(devices.add("x", 1), Err(DeviceError::Full)));
    }
}
