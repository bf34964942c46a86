//! A hash that ties an image to the program that it was compiled from.
//!
//! Kernels read argument blocks, states and messages byte by byte, so an image compiled
//! from another program, or from another version of it, would misread them. The image
//! therefore carries the hash of its program, and the host compares it with the hash of
//! the program that it is about to run.

use super::superstep::{
    Aggregated, goes_by_bins, holds_messages, stays_resident, updates_in_place,
};
use super::{prepare, solve, superstep};
use crate::program::{Delivery, Message, Program};
use crate::{program_kernels, tool_kernels};

/// Raised whenever an array of an argument block holds something else than before: the size of
/// the block, which has only its address, does not show that.
const ARRAYS: u64 = 1;

/// The 64-bit FNV-1a hash of a sequence of 8-byte values.
struct Hash(u64);

impl Hash {
    /// Of [`ARRAYS`] alone.
    const BEGUN: Self = Self(0xcbf2_9ce4_8422_2325).add(ARRAYS);

    const fn add(self, value: u64) -> Self {
        let (mut hash, mut byte) = (self.0, 0);
        while byte < 8 {
            hash = (hash ^ (value >> (8 * byte) & 0xff)).wrapping_mul(0x0100_0000_01b3);
            byte += 1;
        }
        Self(hash)
    }

    const fn of<T>(self) -> Self {
        self.add(size_of::<T>() as u64).add(align_of::<T>() as u64)
    }
}

macro_rules! blocks {
    (($add:ident$(, $owner:ident)?) $($entry:ident: $kernel:ident, $block:ty,
        $threads:literal, $blocks:literal, $blocks_f64:literal, $barriers:literal, [$($set:ident),+];)+
    ) => {
        /// Adds the argument block of every kernel.
        const fn $add$(<$owner: Program>)?(hash: Hash) -> Hash {
            hash$(.of::<$block>())+
        }
    };
}

program_kernels!(blocks, (add_program_blocks, P));
tool_kernels!(blocks, (add_tool_blocks));

/// A hash of what the kernels of a program depend on: the size and alignment of everything
/// that they share with the host, and the properties of the program that decide what they
/// do. Two programs that agree in all of this have the same hash. The kernels of one then
/// compute wrong results for the other, but they stay within their own memory.
pub const fn contract<P: Program>() -> u64 {
    let hash = Hash::BEGUN
        .of::<P>()
        .of::<P::Input>()
        .of::<P::State>()
        .of::<P::Signal>()
        .of::<P::Edge>()
        .of::<Message<P>>()
        .of::<Aggregated<P>>();
    add_program_blocks::<P>(hash)
        .add(<P::Combiner as Delivery>::COMBINES as u64)
        .add(<P::Combiner as Delivery>::SORTED as u64)
        .add(<P::Combiner as Delivery>::MERGE_LAW as u64)
        .add(P::DIRECTION as u64)
        .add(P::MONOTONE as u64)
        .add(goes_by_bins::<P>() as u64)
        .add(holds_messages::<P>() as u64)
        .add(stays_resident::<P>() as u64)
        .add(updates_in_place::<P>() as u64)
        .0
}

/// The same for the kernels that belong to no program.
pub const fn tools_contract() -> u64 {
    add_tool_blocks(Hash::BEGUN).0
}
