//! Short cuts: problems so common that they have code of their own, which is
//! faster than any vertex program could be. Each gives exactly the result of the
//! program that it replaces.

mod components;

pub use components::Components;
pub(super) use components::check_options;
