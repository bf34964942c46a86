//! The lists of successors, one node after the other.

use std::collections::VecDeque;

use super::bits::{Bits, Code, Failure};
use super::properties::Layout;
use crate::io::BvGraphError;

/// Why the lists end.
pub(super) enum Stop {
    /// They are damaged.
    Problem(BvGraphError),
    /// There are more arcs than are allowed.
    TooMany,
}

/// Reads the successors of every node, as arcs in ascending order. Memory
/// grows with what is read: no number of the file is trusted before.
pub(super) fn read<const LITTLE: bool>(
    bytes: &[u8],
    layout: &Layout,
    most_arcs: u64,
) -> Result<Vec<[u32; 2]>, Stop> {
    let bits = Bits::<LITTLE>::new(bytes);
    let (arcs, starts, row) = (Vec::new(), VecDeque::new(), Vec::new());
    let mut lists = Lists { bits, layout, most_arcs, node: 0, arcs, starts, row };
    // Every outdegree takes at least one bit.
    for node in 0..layout.nodes {
        lists.node = node;
        lists.read_list()?;
    }
    Ok(lists.arcs)
}

struct Lists<'a, const LITTLE: bool> {
    bits: Bits<'a, LITTLE>,
    layout: &'a Layout,
    most_arcs: u64,
    node: u32,
    arcs: Vec<[u32; 2]>,
    /// Where the arcs of the last nodes begin, as far as they can be referred to.
    starts: VecDeque<usize>,
    /// The successors of `node` that are known.
    row: Vec<u32>,
}

impl<const LITTLE: bool> Lists<'_, LITTLE> {
    /// Reads the successors of `node`.
    fn read_list(&mut self) -> Result<(), Stop> {
        let Layout { nodes, window, codes, .. } = *self.layout;
        let start = self.bits.at();
        let degree = self.number(codes.outdegrees, "an outdegree", u64::from(nodes))?;
        let arcs = self.arcs.len() as u64 + degree;
        if arcs > self.layout.arcs {
            let promised = self.layout.arcs;
            let (node, bit) = (self.node, start);
            return Err(Stop::Problem(BvGraphError::Arcs { node, bit, promised }));
        }
        if arcs > self.most_arcs {
            return Err(Stop::TooMany);
        }
        self.row.clear();
        if degree > 0 {
            if window > 0 {
                let most = window.min(u64::from(self.node));
                let back = self.number(codes.references, "a reference", most)?;
                if back > 0 {
                    self.copy(back as usize, degree)?;
                }
            }
            if self.missing(degree) > 0 && self.layout.shortest_interval > 0 {
                self.intervals(degree)?;
            }
            if self.missing(degree) > 0 {
                self.residuals(degree)?;
            }
            // The three parts are ascending, so this merges them.
            self.row.sort();
            if let Some(pair) = self.row.windows(2).find(|pair| pair[0] == pair[1]) {
                let (node, bit, found) = (self.node, start, pair[0]);
                return Err(Stop::Problem(BvGraphError::Repeated { node, bit, found }));
            }
        }
        self.starts.push_back(self.arcs.len());
        if self.starts.len() as u64 > window {
            self.starts.pop_front();
        }
        self.arcs.extend(self.row.iter().map(|target| [self.node, *target]));
        Ok(())
    }

    /// Number of successors that are not known yet.
    fn missing(&self, degree: u64) -> u64 {
        degree - self.row.len() as u64
    }

    /// Takes over successors of the node that is `back` before this one.
    fn copy(&mut self, back: usize, degree: u64) -> Result<(), Stop> {
        let codes = self.layout.codes;
        // There are as many starts as nodes to refer to.
        let place = self.starts.len() - back;
        let end = self.starts.get(place + 1).copied().unwrap_or(self.arcs.len());
        let mut next = self.starts[place];
        let length = (end - next) as u64;
        // Only the first block can be empty.
        let blocks = self.number(codes.block_counts, "a number of blocks", length + 1)?;
        for block in 0..blocks {
            let least = u64::from(block > 0);
            let most = (end - next) as u64;
            let Some(most) = most.checked_sub(least) else {
                return Err(self.refuse(self.bits.at(), "a number of blocks", block, blocks));
            };
            let length = self.number(codes.blocks, "a block", most)? + least;
            let past = next + length as usize;
            if block % 2 == 0 {
                self.take(next..past, degree)?;
            }
            next = past;
        }
        if blocks % 2 == 0 {
            self.take(next..end, degree)?;
        }
        Ok(())
    }

    fn take(&mut self, range: std::ops::Range<usize>, degree: u64) -> Result<(), Stop> {
        let (count, most) = (range.len() as u64, self.missing(degree));
        if count > most {
            return Err(self.refuse(self.bits.at(), "a number of copied successors", most, count));
        }
        self.row.extend(self.arcs[range].iter().map(|[_, target]| *target));
        Ok(())
    }

    /// Reads the successors that follow each other.
    fn intervals(&mut self, degree: u64) -> Result<(), Stop> {
        let code = self.layout.codes.intervals;
        let shortest = self.layout.shortest_interval;
        let most = self.missing(degree) / shortest;
        let count = self.number(code, "a number of intervals", most)?;
        let mut previous = None;
        for _ in 0..count {
            // At least one node lies between two intervals.
            let left = self.successor(code, previous)?;
            let room = self.missing(degree).min(u64::from(self.layout.nodes - left));
            let Some(most) = room.checked_sub(shortest) else {
                return Err(self.refuse(self.bits.at(), "an interval", room, shortest));
            };
            let length = self.number(code, "an interval", most)? + shortest;
            let end = left + length as u32;
            self.row.extend(left..end);
            previous = Some(end);
        }
        Ok(())
    }

    /// Reads the other successors.
    fn residuals(&mut self, degree: u64) -> Result<(), Stop> {
        let code = self.layout.codes.residuals;
        let mut previous = None;
        for _ in 0..self.missing(degree) {
            let target = self.successor(code, previous)?;
            self.row.push(target);
            previous = Some(target);
        }
        Ok(())
    }

    /// Reads a successor, as its distance from the node behind `previous`;
    /// without one, as its signed distance from `node`.
    fn successor(&mut self, code: Code, previous: Option<u32>) -> Result<u32, Stop> {
        let (node, bit, nodes) = (self.node, self.bits.at(), self.layout.nodes);
        let number = self.any(code, "a successor")?;
        let half = (number >> 1) as i64;
        let found = match previous {
            Some(previous) => {
                i64::try_from(number).unwrap_or(i64::MAX).saturating_add(i64::from(previous) + 1)
            }
            // Odd numbers are negative.
            None => (half ^ -((number & 1) as i64)).saturating_add(i64::from(node)),
        };
        match u32::try_from(found) {
            Ok(target) if target < nodes => Ok(target),
            _ => Err(Stop::Problem(BvGraphError::Successor { node, bit, nodes, found })),
        }
    }

    /// Reads a number of at most `most`.
    fn number(&mut self, code: Code, expected: &'static str, most: u64) -> Result<u64, Stop> {
        let bit = self.bits.at();
        let found = self.any(code, expected)?;
        if found > most {
            return Err(self.refuse(bit, expected, most, found));
        }
        Ok(found)
    }

    fn any(&mut self, code: Code, expected: &'static str) -> Result<u64, Stop> {
        let (node, bit) = (self.node, self.bits.at());
        self.bits.read(code).map_err(|failure| {
            Stop::Problem(match failure {
                Failure::End => BvGraphError::End { node, bit, expected },
                Failure::TooLarge => BvGraphError::Code { node, bit, expected },
            })
        })
    }

    fn refuse(&self, bit: u64, expected: &'static str, most: u64, found: u64) -> Stop {
        Stop::Problem(BvGraphError::Number { node: self.node, bit, expected, most, found })
    }
}
