//! Short cuts: problems so common that they have code of their own, faster
//! than any vertex program for them could be. Each gives the very result of
//! the program that it stands for.

mod components;

pub use components::Components;
pub(super) use components::check_options;
