//! The control of a computer.

use serde::{Deserialize, Serialize};

/// The control of a computer. The provider defines the tool and its actions; the caller performs them, so an agent does
/// not offer it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComputerUse {
    /// The width of the display in pixels.
    pub width: u32,
    /// The height of the display in pixels.
    pub height: u32,
    /// The kind of computer.
    #[serde(default)]
    pub environment: ComputerEnvironment,
}

/// The kind of computer that a model controls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ComputerEnvironment {
    /// A browser.
    #[default]
    Browser,
    /// A Linux desktop.
    Linux,
    /// A macOS desktop.
    Mac,
    /// A Windows desktop.
    Windows,
}

impl ComputerUse {
    /// Creates the tool for a display of this size in pixels.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, environment: ComputerEnvironment::default() }
    }

    /// Sets the kind of computer.
    pub fn with_environment(mut self, environment: ComputerEnvironment) -> Self {
        self.environment = environment;
        self
    }
}

impl ComputerEnvironment {
    /// Returns the name in the serialised form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::Linux => "linux",
            Self::Mac => "mac",
            Self::Windows => "windows",
        }
    }
}
