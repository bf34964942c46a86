//! The `pregel` command.
fn main() {}
