//! Tests of the painter on an emulated terminal.
