//! Launches that stay for many supersteps.

use std::time::Instant;

use super::super::device::{Device, DeviceError};
use super::super::resident;
use super::GpuSession;
use crate::device::prepare::TakeFrontier;
use crate::device::{Arguments, Control, Counts, RESIDENT_SUPERSTEPS, limit, rank};
use crate::engine::Log;
use crate::program::VertexCompute;

/// Copies before the first launch of rounds: two items of the first frontier, its
/// vertex and state, and the words of control both ways.
const FIRST: u64 = 6;

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Runs supersteps from `superstep` on in one launch; the one that comes
    /// next, and what happened in the last.
    pub(super) fn stay(
        &self,
        a: &mut Arguments<P>,
        superstep: u32,
        before: &Counts,
        log: &mut Log,
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
        resident.launch(device)?;
        let most = self.options.max_supersteps.map_or(u32::MAX, |most| most - superstep + 1);
        a.work.supersteps = RESIDENT_SUPERSTEPS.min(most);
        a.work.most_edges = resident::MOST_EDGES;
        // SAFETY: the arrays have the sizes that the kernel asks for, control
        // and trace are as it wants them, and nobody is awake.
        unsafe { self.kernels.together(device, "resident", resident::FEW_BLOCKS, a)? };
        let (words, trace) = resident.end(device, superstep)?;
        resident::note(log, (superstep, before.messages), &trace, start.elapsed());
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
        log: &mut Log,
    ) -> Result<u64, DeviceError> {
        let (device, resident) = (&*self.device, &self.memory.resident);
        let mut start = Instant::now();
        self.turn(a, 1, &Counts::default());
        resident.begin(device)?;
        self.find_frontier(a, a.work.frontier(1))?;
        let Some(place) = resident.first(device)? else { return Ok(1) };
        let sender = self.prepared.vertex_at.get(device, place.into())?;
        let sent = self.memory.states.get(device, place.into())?;
        let from = rank(program.priority(&sent).unwrap_or(0.0));
        let of = (program, self.graph, inputs);
        a.work.delta = resident::delta::<P>(of, (sender, &sent), self.options.delta);
        a.work.supersteps = RESIDENT_SUPERSTEPS;
        resident.begin_rounds(device, limit(from, a.work.delta))?;
        let (mut round, mut launches) = (1, 0);
        loop {
            resident.launch(device)?;
            // SAFETY: the arrays have the sizes that the kernel asks for, and
            // control and trace are as it wants them.
            unsafe { self.kernels.together(device, "near_far", resident::MANY_BLOCKS, a)? };
            let (words, trace) = resident.end(device, round)?;
            resident::note_rounds(log, round, &trace, start.elapsed());
            (round, launches, start) = (words.get(Control::Next, 0), launches + 1, Instant::now());
            if words.get(Control::Done, 0) != 0 {
                return Ok(FIRST + resident::COPIES * launches);
            }
        }
    }
}
