//! Passes the plan to the first process of the namespaces in an unnamed file. Arguments are not suitable: the
//! command can read the arguments of every visible process, and the plan contains the hidden paths.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;

use nix::sys::memfd::{MFdFlags, memfd_create};

/// The argument before the number of the descriptor.
const OPTION: &str = "plan-file";

/// Writes words to a file that a child inherits, and returns it with the child's arguments.
pub(crate) fn store(words: &[OsString]) -> io::Result<(File, [OsString; 2])> {
    let mut bytes = Vec::new();
    for word in words {
        // An argument cannot contain a zero byte either.
        bytes.extend_from_slice(CString::new(word.as_bytes())?.as_bytes_with_nul());
    }
    let mut file = File::from(memfd_create(c"windlass-plan", MFdFlags::empty())?);
    file.write_all(&bytes)?;
    let number = file.as_raw_fd().to_string();
    Ok((file, [OPTION.into(), number.into()]))
}

/// Returns the words of a plan if the arguments name a file, and otherwise the arguments unchanged.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn load(arguments: Vec<OsString>) -> io::Result<Vec<OsString>> {
    let number = match arguments.as_slice() {
        [option, number] if option == OPTION => number.to_str().and_then(|number| number.parse::<u32>().ok()),
        _ => return Ok(arguments),
    };
    let number = number.ok_or(io::ErrorKind::InvalidInput)?;
    let mut bytes = Vec::new();
    File::open(format!("/proc/self/fd/{number}"))?.read_to_end(&mut bytes)?;
    let words = bytes.strip_suffix(&[0]).ok_or(io::ErrorKind::InvalidData)?.split(|byte| *byte == 0);
    Ok(words.map(|word| OsStr::from_bytes(word).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn stored_arguments_round_trip() {
        let words: Vec<OsString> =
            vec!["inner".into(), "".into(), "a b\n".into(), OsString::from_vec(vec![0xff]), "".into()];
        let (file, arguments) = store(&words).unwrap();
        assert_eq!(load(arguments.to_vec()).unwrap(), words);
        drop(file);
        load(vec![OPTION.into(), "x".into()]).unwrap_err();
        load(vec![OPTION.into(), "4000".into()]).unwrap_err();
        store(&["a\0b".into()]).unwrap_err();
        assert_eq!(load(words.clone()).unwrap(), words);
    }
}
