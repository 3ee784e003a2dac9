//! A descriptor that goes over a leash: the input of a command, whose standard input is taken by the leash itself.
//!
//! Inheriting it by its number would need it open in the host without close-on-exec, where any other child that is
//! started in that moment would have it, too.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// The byte that a descriptor rides on.
const CARRIER: &[u8] = b"i";

/// Sends a descriptor. It waits there until somebody takes it, or the socket is gone.
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

/// Takes the descriptor that was sent first, and not a byte of what came after it.
pub(crate) fn take(leash: impl AsFd) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut more = RecvAncillaryBuffer::new(&mut space);
    let mut carrier = [0];
    recvmsg(leash, &mut [IoSliceMut::new(&mut carrier)], &mut more, RecvFlags::CMSG_CLOEXEC)?;
    let taken = more.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    taken.ok_or_else(|| io::Error::other("no input for the command came over the leash"))
}
