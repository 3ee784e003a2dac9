//! Tests of the hub: every reader gets every numbered event once, and every text whole.
