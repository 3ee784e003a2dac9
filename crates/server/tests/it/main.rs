//! Tests of the server over real connections.

mod attacks;
mod place;
mod sessions;
