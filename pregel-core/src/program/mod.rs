//! The programming contract: what a user writes, `no_std`, for every engine.
//!
//! A vertex program is one type with three implementations:
//!
//! * [`Program`] names the data: private state, public signal, edge value,
//!   combiner, aggregate;
//! * [`EdgeCompute`] says what travels along an edge;
//! * [`VertexCompute`] says what a vertex does with what arrives.
//!
//! # Supersteps
//!
//! Superstep 0 calls [`VertexCompute::init`] on every vertex. In superstep
//! s ≥ 1 every vertex that voted to scatter in s−1 sends along its edges (in
//! the program's [`Direction`]); then every vertex that received a message or
//! stayed awake runs [`VertexCompute::vertex_compute`]. The run stops when no
//! vertex is awake and none scatters, when [`VertexCompute::converged`] says
//! so, or at the superstep limit.
//!
//! # Why the functions are pure
//!
//! `edge_compute` sees only the sender's signal and the edge, and
//! `vertex_compute` only its own vertex. So an engine may push or pull, keep
//! messages in a buffer or combine them on the fly, on one core or on ten
//! thousand GPU lanes, and the result is the same. Nothing here allocates,
//! uses trait objects or names a device.
//!
//! # What the compiler refuses
//!
//! A state that is not plain data, such as one that owns memory:
//!
//! ```compile_fail,E0277
//! # use pregel_core::program::{Min, Nothing, Program};
//! # #[derive(Clone, Copy)] struct Mine;
//! impl Program for Mine {
//!     type Input = ();
//!     type State = Vec<u32>; // not `Pod`
//!     type Signal = u32;
//!     type Edge = ();
//!     type Combiner = Min<u32>;
//!     type Aggregate = Nothing;
//! }
//! ```
//!
//! A combiner that is a number instead of a way to combine numbers:
//!
//! ```compile_fail,E0277
//! # use pregel_core::program::{Nothing, Program};
//! # #[derive(Clone, Copy)] struct Mine;
//! impl Program for Mine {
//!     type Input = ();
//!     type State = u32;
//!     type Signal = u32;
//!     type Edge = ();
//!     type Combiner = u32; // `Min<u32>`, `Sum<u32>`, …?
//!     type Aggregate = Nothing;
//! }
//! ```
//!
//! And, where `unused_must_use` is denied, a vote that is not returned:
//!
//! ```compile_fail
//! # #![deny(unused_must_use)]
//! # use pregel_core::program::Vote;
//! fn vote() -> Vote {
//!     Vote::Scatter
//! }
//! vote();
//! ```

mod compute;
mod context;
mod inbox;
#[cfg(test)]
mod laws;
mod mail;
mod monoid;
mod value;

pub use bytemuck::{Pod, Zeroable};
pub use compute::{
    Direction, Edge, EdgeCompute, GraphFacts, NoInput, Program, VertexCompute, Vote,
};
#[cfg(feature = "std")]
pub(crate) use context::InDegrees;
pub use context::{Context, Facts};
pub use inbox::{Delivery, Inbox, List, Message, Sorted};
pub use mail::Mail;
pub use monoid::{Any, Array, Law, Max, Min, Monoid, Native, Nothing, Operation, Or, Sum};
pub use value::{BitSet, Kind, Number, Value};

/// Dense id of a vertex: `0..vertex_count`, in the order of the user's ids.
///
/// Engines may renumber vertices inside; a program never sees that.
pub type VertexId = u32;
