//! Sends the descriptor of a command's input over a [leash](crate::Leash), because the leash itself occupies the
//! helper's standard input.
//!
//! A child could also inherit the descriptor by its number. But the descriptor would have to be open in the
//! host without close-on-exec, and every other child that starts at that moment would inherit it too.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// The byte that carries the descriptor.
const CARRIER: &[u8] = b"i";

/// Sends a descriptor. It stays in the socket until it is received or the socket is closed.
pub(crate) fn give(leash: impl AsFd, descriptor: impl AsFd) -> io::Result<()> {
    let given = [descriptor.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut more = SendAncillaryBuffer::new(&mut space);
    if !more.push(SendAncillaryMessage::ScmRights(&given)) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    sendmsg(leash, &[IoSlice::new(CARRIER)], &mut more, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives the descriptor that was sent first, without reading the data after it.
pub(crate) fn take(leash: impl AsFd) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut more = RecvAncillaryBuffer::new(&mut space);
    let mut carrier = [0];
    recvmsg(leash, &mut [IoSliceMut::new(&mut carrier)], &mut more, RecvFlags::CMSG_CLOEXEC)?;
    let taken = more.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    taken.ok_or_else(|| io::Error::other("the supervisor received no input for the command"))
}
