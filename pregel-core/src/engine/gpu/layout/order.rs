//! Sorts the vertices into the order in which the device keeps them, their degrees too.

use std::ops::Range;

use super::Shape;
use super::sort::{Places, Sorter};
use super::upload::{Given, Uploaded};
use crate::device::kernels::Tools;
use crate::device::kernels::tools as k;
use crate::device::prepare::{Count, Degrees, Permute};
use crate::engine::gpu::policy::Sort;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::graph::Graph;
use crate::program::{Direction, Program, Value};

/// The order of the vertices, and their degrees by place, which every program may read.
pub(crate) struct Placed<D: Device> {
    pub(crate) shape: Shape,
    pub(crate) place_of: Array<D, u32>,
    pub(crate) vertex_at: Array<D, u32>,
    pub(crate) in_degrees: Array<D, u32>,
    pub(crate) out_degrees: Array<D, u32>,
    pub(crate) send_degrees: Array<D, u32>,
    pub(crate) receive_degrees: Array<D, u32>,
}

impl<D: Device> Placed<D> {
    /// How many messages the vertices at the first `places` places send if all scatter.
    /// Waits.
    pub(crate) fn sent_by_first(&self, places: u32) -> Result<u64, DeviceError> {
        Ok(self.send_degrees.first(places.into())?.into_iter().map(u64::from).sum())
    }

    /// The same for each of the first `ranges` ranges of `places` places, or fewer if the
    /// vertices end before. Waits.
    pub(crate) fn sent_by_ranges(&self, places: u32, ranges: u32) -> Result<Vec<u64>, DeviceError> {
        let all = (u64::from(places) * u64::from(ranges)).min(self.shape.n());
        let degrees = self.send_degrees.first(all)?;
        let sent = |range: &[u32]| range.iter().map(|degree| u64::from(*degree)).sum();
        Ok(degrees.chunks(places.max(1) as usize).map(sent).collect())
    }

    /// About how many messages the vertices at these places send if all scatter: of many places some are
    /// looked at. Waits.
    pub(crate) fn about_sent(&self, places: Range<u32>) -> Result<u64, DeviceError> {
        /// Places that are looked at together, and how often.
        const SAMPLE: u32 = 64;
        const SAMPLES: u32 = 16;
        let len = places.end.saturating_sub(places.start);
        let sum = |places: Range<u32>| -> Result<u64, DeviceError> {
            let degrees = self.send_degrees.range(places.start.into()..places.end.into())?;
            Ok(degrees.into_iter().map(u64::from).sum())
        };
        if len <= SAMPLE * SAMPLES {
            return sum(places);
        }
        let mut sent = 0;
        for sample in 0..SAMPLES {
            // Around the middle of a sixteenth.
            let middle = u64::from(len) * u64::from(2 * sample + 1) / u64::from(2 * SAMPLES);
            let first = places.start + middle as u32 - SAMPLE / 2;
            sent += sum(first..first + SAMPLE)?;
        }
        Ok(sent * u64::from(len) / u64::from(SAMPLE * SAMPLES))
    }

    /// How many places, the first ones, have all vertices that send messages. Waits.
    pub(crate) fn senders(&self) -> Result<u32, DeviceError> {
        end_of(&self.send_degrees, self.shape.vertices)
    }

    /// How many places, the first ones, have all vertices that get messages. Waits.
    pub(crate) fn receivers(&self) -> Result<u32, DeviceError> {
        end_of(&self.receive_degrees, self.shape.vertices)
    }
}

/// The place after the last, of `places`, that has a degree. Waits.
fn end_of<D: Device>(degrees: &Array<D, u32>, places: u32) -> Result<u32, DeviceError> {
    let (mut end, mut piece) = (places, 1 << 14);
    while end > 0 {
        let first = end.saturating_sub(piece);
        let degrees = degrees.range(first.into()..end.into())?;
        if let Some(last) = degrees.iter().rposition(|degree| *degree > 0) {
            return Ok(first + last as u32 + 1);
        }
        (end, piece) = (first, 2 * piece);
    }
    Ok(0)
}

/// Memory to sort vertices.
pub(super) struct Ordering<D: Device> {
    shape: Shape,
    sorter: Sorter<D>,
    /// Send degrees and receive degrees by id.
    by_id: [Array<D, u32>; 2],
    /// The same by place.
    by_place: [Array<D, u32>; 2],
}

impl<D: Device> Ordering<D> {
    /// Memory for a graph of this shape. In a `symmetric` graph rows by sender are rows by
    /// receiver too, so one array of degrees serves both.
    pub(super) fn room(
        arrays: &mut Arrays<D>,
        shape: Shape,
        sort: Sort,
        symmetric: bool,
    ) -> Result<Self, DeviceError> {
        let n = shape.n();
        let mut pair = |name| -> Result<_, DeviceError> {
            let send: Array<D, u32> = arrays.array(name, n)?;
            let receive = if symmetric { send.clone() } else { arrays.array(name, n)? };
            Ok([send, receive])
        };
        let (by_id, by_place) = (pair("degrees, while sorting")?, pair("degrees")?);
        Ok(Self { shape, sorter: Sorter::room(arrays, shape.vertices, sort)?, by_id, by_place })
    }

    /// Queues sorting the vertices by the number of messages that they can get.
    pub(super) fn queue<P: Program>(
        self,
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        graph: &Graph<P::Edge>,
        given: &Given<D, P::Edge>,
    ) -> Result<Placed<D>, DeviceError> {
        let (shape, [send, receive]) = (self.shape, &self.by_id);
        lengths(tools, shape, given.by_sender.as_ref(), given.by_receiver.as_ref(), send)?;
        if !given.symmetric {
            lengths(tools, shape, given.by_receiver.as_ref(), given.by_sender.as_ref(), receive)?;
        }
        self.sorter.queue(tools, receive)?;
        let Places { place_of, vertex_at } = self.sorter.into_places();
        let permute = |from: &Array<D, u32>, to: &Array<D, u32>| {
            let a = Permute {
                count: shape.vertices,
                place_of: place_of.global(),
                from: from.global(),
                to: to.global(),
            };
            // SAFETY: `from` and `to` have a value per vertex, and `place_of` is a
            // permutation of the vertices.
            unsafe { tools.each::<k::Permute>(shape.n(), &a) }
        };
        let [send_degrees, receive_degrees] = self.by_place;
        permute(send, &send_degrees)?;
        if !given.symmetric {
            permute(receive, &receive_degrees)?;
        }
        let (sent, received) = (send_degrees.clone(), receive_degrees.clone());
        let (in_degrees, out_degrees) = match P::DIRECTION {
            _ if !graph.directed() => (sent.clone(), sent),
            Direction::Out => (received, sent),
            Direction::In => (sent, received),
            Direction::Both => {
                let [into, out] = room_for_both(arrays, shape)?;
                for (rows, [by_id, by_place]) in [(graph.incoming(), &into), (graph.out(), &out)] {
                    let degrees: Vec<u32> =
                        (0..shape.vertices).map(|v| rows.degree(v) as u32).collect();
                    by_id.write(&degrees)?;
                    permute(by_id, by_place)?;
                }
                let ([_, into], [_, out]) = (into, out);
                (into, out)
            }
        };
        Ok(Placed {
            shape,
            place_of,
            vertex_at,
            in_degrees,
            out_degrees,
            send_degrees,
            receive_degrees,
        })
    }
}

/// Degrees by id, and the same degrees by place.
type Degreed<D> = [Array<D, u32>; 2];

/// Memory for the in-degrees and the out-degrees of a directed graph with messages in both
/// directions.
pub(super) fn room_for_both<D: Device>(
    arrays: &mut Arrays<D>,
    shape: Shape,
) -> Result<[Degreed<D>; 2], DeviceError> {
    let mut room = || -> Result<_, DeviceError> {
        let by_id = arrays.array("degrees, while sorting", shape.n())?;
        Ok([by_id, arrays.array("degrees", shape.n())?])
    };
    Ok([room()?, room()?])
}

/// Queues finding the length of each row of `own`. Without these rows, counts how often
/// each vertex is a target in `other`.
fn lengths<D: Device, E: Value>(
    tools: &Kernels<D, Tools>,
    shape: Shape,
    own: Option<&Uploaded<D, E>>,
    other: Option<&Uploaded<D, E>>,
    to: &Array<D, u32>,
) -> Result<(), DeviceError> {
    if let Some(rows) = own {
        let (offsets, degrees) = (rows.offsets.global(), to.global());
        let a = Degrees { vertices: shape.vertices, offsets, degrees };
        // SAFETY: `offsets` has one value more than there are vertices, and `degrees` one
        // per vertex.
        return unsafe { tools.each::<k::Degrees>(shape.n(), &a) };
    }
    to.fill(0)?;
    let Some(rows) = other else { return Ok(()) };
    let a = Count { edges: rows.edges, targets: rows.others.global(), counts: to.global() };
    // SAFETY: every target of a graph is a vertex, and `to` has a counter per vertex, set
    // to 0 above.
    unsafe { tools.each::<k::Count>(rows.edges, &a) }
}
