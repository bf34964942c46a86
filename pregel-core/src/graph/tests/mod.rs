#![allow(clippy::unwrap_used, clippy::expect_used)]

mod buffer;
mod builder;
mod csr;
mod ids;
mod incoming;
mod mirror;
mod normalize;
mod stats;
