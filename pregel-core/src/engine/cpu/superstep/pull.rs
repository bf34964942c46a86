//! Supersteps that pull.

use std::ops::Range;

use super::{Memory, dense, outbox, words};
use crate::engine::cpu::bitmap::{Bits, each_bit, full};
use crate::engine::cpu::gather::{Everyone, HubMessages, Members, Signals, gather, gather_with};
use crate::engine::cpu::vertex::{Env, Outbox, Tally};
use crate::engine::cpu::votes::{Awake, Votes};
use crate::engine::cpu::word_mail::WordMail;
use crate::program::{Delivery, Law, Message, VertexCompute, VertexId};

impl<P: VertexCompute> Memory<P> {
    /// One superstep by pulling.
    pub(in crate::engine::cpu) fn pull(&mut self, env: &Env<'_, P>) -> Tally<P> {
        let everyone = self.frontier.count == u64::from(env.shape.vertex_count);
        self.frontier.as_bits();
        let tally = if everyone {
            self.pull_from(env, |signals, _| Everyone(signals))
        } else {
            self.pull_from(env, Members)
        };
        self.turn(&tally);
        tally
    }

    fn pull_from<'s, S: Signals<P::Signal>>(
        &'s mut self,
        env: &Env<'_, P>,
        source: impl FnOnce(&'s [P::Signal], &'s Bits) -> S,
    ) -> Tally<P> {
        let Self {
            states,
            signals,
            next_signals,
            frontier,
            next_frontier,
            awake,
            next_awake,
            open,
            ..
        } = self;
        let far = size_of_val(&signals[..]) > FAR && env.shape.cut.scattered;
        let signals = source(signals, &frontier.bits);
        let hubs = HubMessages::gather(env.program, env.shape, signals, |v| open.contains(v));
        let out = outbox(states, next_signals, &next_frontier.bits, next_awake, open);
        let awake = &*awake;
        dense(env, |env, span, tally| {
            let pull = Pull { env, signals, far, awake, hubs: &hubs, out };
            // SAFETY: spans cover the vertices of the graph and do not overlap.
            unsafe {
                if P::Combiner::MERGE_LAW == Law::Arbitrary {
                    pull.first_messages(&span, tally);
                } else {
                    pull.all_messages(&span, tally);
                }
            }
        })
    }
}

/// Signals that take more bytes than this are unlikely to lie in a second-level cache.
const FAR: usize = 1 << 21;
/// How many vertices ahead a row is prefetched.
const AHEAD: usize = 12;
/// How many targets share a cache line.
const LINE: u64 = 16;

/// What a vertex reads when it pulls, and where it writes.
struct Pull<'a, P: VertexCompute, S> {
    env: &'a Env<'a, P>,
    signals: S,
    /// Whether signals are too many for a near cache, and so prefetched.
    far: bool,
    awake: &'a Awake,
    hubs: &'a HubMessages<Message<P>>,
    out: Outbox<'a, P>,
}

impl<P: VertexCompute, S: Signals<P::Signal>> Pull<'_, P, S> {
    /// Lets the vertices of a span compute with all their messages combined.
    ///
    /// # Safety
    /// They must be vertices of the graph, and no other thread may touch their places in the
    /// outbox.
    #[inline(always)]
    unsafe fn all_messages(&self, span: &Range<VertexId>, tally: &mut Tally<P>) {
        words(span, |i, vertices| {
            let (open, wakes) = (self.out.open.word(i), self.wakes(i));
            let may = (open | wakes) & full(&vertices);
            // Those that are not linked have no row, and so no message.
            if S::ALL && (open | !self.env.shape.cut.linked(i)) & full(&vertices) == full(&vertices)
            {
                // SAFETY: the caller's promise.
                return unsafe { self.whole_word(&vertices, [open, wakes], tally) };
            }
            let mut votes = Votes::of(may);
            each_bit(i, may, |v, bit| {
                // SAFETY: the caller's promise.
                unsafe { self.visit(v, bit, [open, wakes], &mut votes, tally) };
            });
            votes.store(&vertices, open, self.env.shape, &self.out, tally);
        });
    }

    /// The same for vertices that share a word of a bitmap and of which none can have a message
    /// that it does not want, if every vertex scatters. In programs like PageRank these are all
    /// vertices, in every superstep: they are visited in order, and none of their bits is asked
    /// for. Not written in terms of [`visit`](Self::visit), which asks for them; when both called
    /// a third function in the end, HCC on grids became a seventh slower.
    ///
    /// # Safety
    /// As for [`all_messages`](Self::all_messages).
    #[inline(always)]
    unsafe fn whole_word(
        &self,
        vertices: &Range<VertexId>,
        [open, wakes]: [u64; 2],
        tally: &mut Tally<P>,
    ) {
        let Env { program, shape, .. } = self.env;
        let mut votes = Votes::of(full(vertices));
        let mut visit = |v: VertexId, mut message: Option<Message<P>>| {
            let bit = 1u64 << (v % 64);
            if message.is_none() && wakes & bit == 0 {
                return votes.skip(bit);
            }
            let inbox = P::Combiner::inbox_of_one(&mut message);
            // SAFETY: the caller's promise.
            votes.add(bit, unsafe { self.env.compute(v, inbox, &self.out, tally) });
        };
        match WordMail::gather(*program, *shape, self.signals, vertices, self.far) {
            Some(mail) => vertices.clone().for_each(|v| visit(v, mail.message(v as usize))),
            // SAFETY: the caller's promise.
            None => unsafe {
                let (signals, hubs) = (self.signals, self.hubs);
                // Two loops, so that no edge asks whether to prefetch.
                if self.far {
                    shape.gather.first().each_row(vertices.clone(), |v, row, later| {
                        visit(v, gather_with(*program, shape, signals, hubs, v, row, Some(later)));
                    });
                } else {
                    shape.gather.first().each_row(vertices.clone(), |v, row, _| {
                        visit(v, gather_with(*program, shape, signals, hubs, v, row, None));
                    });
                }
            },
        }
        votes.store(vertices, open, shape, &self.out, tally);
    }

    /// The same for a program that needs only one message. Its vertices read little of their
    /// rows, and the rows of those that still want a message lie far apart. So these vertices
    /// are listed first, and their rows are prefetched. This is left out where they are so dense
    /// that most of what they skip shares a cache line with what they read.
    ///
    /// # Safety
    /// As for [`all_messages`](Self::all_messages).
    #[inline(always)]
    unsafe fn first_messages(&self, span: &Range<VertexId>, tally: &mut Tally<P>) {
        let out = &self.out;
        let mut count = 0;
        words(span, |i, vertices| {
            count += ((out.open.word(i) | self.wakes(i)) & full(&vertices)).count_ones();
        });
        if u64::from(count) * LINE >= self.env.shape.gather.first().edges_of(span) {
            // SAFETY: the caller's promise.
            return unsafe { self.all_messages(span, tally) };
        }
        let mut candidates = Vec::with_capacity(count as usize);
        words(span, |i, vertices| {
            out.scattering.set_word(i, 0);
            out.awake.set_word(i, 0);
            let may = (out.open.word(i) | self.wakes(i)) & full(&vertices);
            each_bit(i, may, |v, _| candidates.push(v));
        });
        let mut k = 0;
        while let Some(&first) = candidates.get(k) {
            let i = first as usize / 64;
            let vertices =
                i as VertexId * 64..span.end.min((i as VertexId * 64).saturating_add(64));
            let (open, wakes) = (out.open.word(i), self.wakes(i));
            let mut votes = Votes::of((open | wakes) & full(&vertices));
            while let Some(&v) = candidates.get(k).filter(|v| **v as usize / 64 == i) {
                if let Some(later) = candidates.get(k + AHEAD) {
                    self.env.shape.prefetch(*later);
                }
                // SAFETY: the caller's promise.
                unsafe { self.visit(v, 1 << (v % 64), [open, wakes], &mut votes, tally) };
                k += 1;
            }
            votes.store(&vertices, open, self.env.shape, out, tally);
        }
    }

    /// Lets `v`, whose bit is `bit`, compute if it is woken, or if it is open and there is a
    /// message. `open` and `wakes` are its words in the bitmaps.
    ///
    /// # Safety
    /// As for [`all_messages`](Self::all_messages).
    #[inline(always)]
    unsafe fn visit(
        &self,
        v: VertexId,
        bit: u64,
        [open, wakes]: [u64; 2],
        votes: &mut Votes,
        tally: &mut Tally<P>,
    ) {
        let mut message = None;
        if open & bit != 0 {
            let Env { program, shape, .. } = self.env;
            // SAFETY: the caller's promise.
            message = unsafe { gather(*program, shape, self.signals, self.hubs, v) };
        }
        if message.is_none() && wakes & bit == 0 {
            return votes.skip(bit);
        }
        let inbox = P::Combiner::inbox_of_one(&mut message);
        // SAFETY: the caller's promise.
        votes.add(bit, unsafe { self.env.compute(v, inbox, &self.out, tally) });
    }

    #[inline(always)]
    fn wakes(&self, i: usize) -> u64 {
        self.awake.word(i, self.env.shape.vertex_count.into())
    }
}
