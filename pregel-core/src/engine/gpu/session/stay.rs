//! Launches that stay for many supersteps.

use std::iter::once;
use std::time::Instant;

use super::super::device::{Device, DeviceError};
use super::super::explain::Course;
use super::super::resident;
use super::GpuSession;
use crate::device::prepare::TakeFrontier;
use crate::device::{Arguments, Control, Counts, RESIDENT_SUPERSTEPS, limit, rank};
use crate::program::VertexCompute;

/// Copies from the device when a launch ends: control, and what happened.
pub(super) const COPIES: u64 = 2;

/// Copies before the first launch of rounds: an item of the first frontier, its
/// vertex and state, and the words of control both ways.
const FIRST: u64 = 5;

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Runs supersteps from `superstep` on in one launch; the one that comes
    /// next, and what happened in the last.
    pub(super) fn stay(
        &self,
        a: &mut Arguments<P>,
        superstep: u32,
        before: &Counts,
        course: &mut Course,
    ) -> Result<(u32, Counts), DeviceError> {
        let (device, resident) = (&*self.device, &self.memory.resident);
        let start = Instant::now();
        self.turn(a, superstep, before);
        resident.begin(device)?;
        self.find_frontier(a, a.work.frontier(superstep))?;
        // The kernel writes the votes of those that stay awake.
        for votes in &self.memory.votes {
            votes.fill(device, 0)?;
        }
        let most = self.options.max_supersteps.map_or(u32::MAX, |most| most - superstep + 1);
        a.work.supersteps = RESIDENT_SUPERSTEPS.min(most);
        a.work.most_edges = self.planner.most_edges();
        let costs = self.planner.costs();
        let blocks = costs.resident_blocks;
        a.work.lanes = self.planner.lanes(costs.resident_lanes);
        // SAFETY: the arrays have the sizes that the kernel asks for, control
        // and trace are as it wants them, and nobody is awake.
        unsafe { self.kernels.together(device, "resident", blocks, a)? };
        let (words, trace) = resident.end(device, superstep)?;
        let messages = once(before.messages).chain(trace.iter().map(|counts| counts.messages));
        let planner = Some(&self.planner);
        resident::note(course, planner, superstep, &trace, messages, start.elapsed());
        let next = words.get(Control::Next, 0);
        let counts = trace.last().copied().unwrap_or_default();
        // What the host begins goes by votes.
        let items = words.get(Control::Items, next % 3);
        let (now, frontier) = ((next as usize + 1) % 2, a.work.frontier(next));
        let votes = self.memory.votes[now].global();
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe {
            self.tools.each(device, "vote", items.into(), &TakeFrontier { frontier, votes })?
        };
        Ok((next, counts))
    }

    /// Runs a program by priority, in place, until nothing changes; with so many
    /// copies between host and device.
    pub(super) fn settle(
        &self,
        a: &mut Arguments<P>,
        program: &P,
        inputs: &[P::Input],
        course: &mut Course,
    ) -> Result<u64, DeviceError> {
        let (device, resident) = (&*self.device, &self.memory.resident);
        let mut start = Instant::now();
        self.turn(a, 1, &Counts::default());
        resident.begin(device)?;
        self.find_frontier(a, a.work.frontier(1))?;
        let words = resident.words(device)?;
        if words.get(Control::Items, 1) == 0 {
            return Ok(1);
        }
        let place = resident.first(device)?;
        let sender = self.prepared.vertex_at.get(device, place.into())?;
        let sent = self.memory.states.get(device, place.into())?;
        let from = rank(program.priority(&sent).unwrap_or(0.0));
        let of = (program, self.graph, inputs);
        let costs = self.planner.costs();
        let width = (self.options.delta, costs.near_width);
        a.work.delta = resident::delta::<P>(of, (sender, &sent), width);
        course.delta = Some(a.work.delta);
        a.work.lanes = self.planner.lanes(costs.rounds_lanes);
        a.work.supersteps = RESIDENT_SUPERSTEPS;
        resident.begin_rounds(device, words, limit(from, a.work.delta))?;
        let (mut round, mut copies) = (1, FIRST);
        loop {
            // SAFETY: the arrays have the sizes that the kernel asks for, and
            // control and trace are as it wants them.
            unsafe { self.kernels.together(device, "near_far", costs.rounds_blocks, a)? };
            let (words, trace) = resident.end(device, round)?;
            copies += COPIES;
            // Rounds count the messages that they send themselves.
            let messages = trace.iter().map(|counts| counts.messages);
            resident::note(course, None, round, &trace, messages, start.elapsed());
            (round, start) = (words.get(Control::Next, 0), Instant::now());
            if words.get(Control::Done, 0) != 0 {
                return Ok(copies);
            }
            resident.again(device)?;
            copies += 1;
        }
    }
}
