//! What the kernels of a superstep are given.

use super::super::device::Device;
use super::GpuSession;
use crate::device::{
    Arguments, Bins, Chunks, Columns, Counts, Frontier, Mailbox, Segments, Senders, Slots, Steady,
    Step, Vertices, Worklist,
};
use crate::program::VertexCompute;

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// The argument block, superstep 0; `now` of the paired arrays is 0.
    pub(super) fn arguments(&self, program: &P) -> Arguments<P> {
        let (p, m) = (&self.prepared, &self.memory);
        let mut a = Arguments {
            program: *program,
            vertices: Vertices {
                count: p.vertices,
                vertex_at: p.vertex_at.global(),
                in_degrees: p.in_degrees.global(),
                out_degrees: p.out_degrees.global(),
                send_degrees: p.send_degrees.global(),
                inputs: m.inputs.global(),
                states: m.states.global(),
            },
            step: Step {
                partials: m.totals.partials(),
                counts: m.totals.counts(),
                fixed: u32::from(self.options.deterministic),
                next: m.totals.next(),
                ..Step::default()
            },
            columns: Columns::default(),
            mailbox: Mailbox::default(),
            chunks: Chunks::default(),
            segments: Segments::default(),
            senders: Senders::default(),
            frontier: Frontier::default(),
            slots: Slots { messages: m.slots.global(), arrived: m.arrived.global() },
            work: Worklist::default(),
            steady: Steady::default(),
            bins: Bins::default(),
        };
        if let Some(columns) = &p.columns {
            a.columns = Columns {
                shift: columns.shift,
                degrees: p.receive_degrees.global(),
                bases: columns.bases.global(),
                senders: columns.senders.global(),
                values: columns.values.global(),
            };
            a.chunks = Chunks {
                list: columns.chunks.list.global(),
                count: columns.chunks.count,
                heavy: columns.chunks.heavy,
                long: columns.chunks.long,
                // A warp shall find work often, but not all at the same counter.
                batch: (p.vertices >> 20).clamp(1, 16),
                huge: columns.chunks.huge,
                joiners: columns.chunks.joiners(),
                firsts: columns.chunks.firsts.global(),
                messages: m.chunk_messages.global(),
                present: m.chunk_present.global(),
            };
            if let Some(mail) = &p.mail {
                a.mailbox = Mailbox {
                    edges: mail.count,
                    sources: mail.sources.global(),
                    positions: mail.positions.global(),
                    values: mail.values.global(),
                    messages: m.messages.global(),
                    present: m.present.global(),
                };
                a.segments = Segments {
                    slots: columns.slots,
                    receivers: mail.receivers.global(),
                    combined: m.combined.global(),
                    combined_present: m.combined_present.global(),
                    heads: m.heads.global(),
                    heads_present: m.heads_present.global(),
                    tails: m.tails.global(),
                    tails_present: m.tails_present.global(),
                };
            }
        }
        self.give_rows(&mut a);
        a
    }

    /// Adds rows to push along, if they are laid out.
    pub(super) fn give_rows(&self, a: &mut Arguments<P>) {
        let Some(push) = &self.prepared.push else { return };
        a.senders = Senders {
            offsets: push.offsets.global(),
            targets: push.targets.global(),
            values: push.values.global(),
        };
        a.frontier = Frontier { items: push.items.global(), count: push.count.global() };
        a.work = self.memory.resident.worklist(&push.items);
    }

    /// Sets what changes from superstep to superstep.
    pub(super) fn turn(&self, a: &mut Arguments<P>, superstep: u32, before: &Counts) {
        let (now, next) = ((superstep as usize + 1) % 2, superstep as usize % 2);
        let m = &self.memory;
        let everyone = superstep > 0 && before.scattering == u64::from(self.prepared.vertices);
        a.step = Step {
            superstep,
            everyone: u32::from(everyone),
            votes: m.votes[now].global(),
            votes_next: m.votes[next].global(),
            signals: m.signals[now].global(),
            signals_next: m.signals[next].global(),
            last: m.totals.aggregate(now),
            total: m.totals.aggregate(next),
            ..a.step
        };
    }
}
