//! The order of vertices on the device, and their degrees in it.

use super::Shape;
use super::sort::{Places, Sorter};
use super::upload::{Given, Uploaded};
use crate::device::kernels::Tools;
use crate::device::kernels::tools as k;
use crate::device::prepare::{Count, Degrees, Permute};
use crate::engine::gpu::policy::Sort;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::graph::{Csr, Graph};
use crate::program::{Direction, Program, Value};

/// Vertices in order, with what every program may ask of them. Degrees go by place.
pub(crate) struct Placed<D: Device> {
    pub(crate) shape: Shape,
    pub(crate) place_of: Array<D, u32>,
    pub(crate) vertex_at: Array<D, u32>,
    pub(crate) in_degrees: Array<D, u32>,
    pub(crate) out_degrees: Array<D, u32>,
    pub(crate) send_degrees: Array<D, u32>,
    pub(crate) receive_degrees: Array<D, u32>,
}

/// Room to put vertices in order.
pub(super) struct Ordering<D: Device> {
    shape: Shape,
    sorter: Sorter<D>,
    /// Degrees by id: of senders, of receivers, and one more for each in turn.
    by_id: [Array<D, u32>; 2],
    by_place: [Array<D, u32>; 2],
}

impl<D: Device> Ordering<D> {
    /// Room for a graph whose rows by sender are rows by receiver too, or are not.
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

    /// Queues the sort by the number of messages that a vertex gets.
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
            // SAFETY: the arrays hold a value for every vertex.
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
                let mut of = |rows: &Csr| -> Result<_, DeviceError> {
                    let degrees: Vec<u32> =
                        (0..shape.vertices).map(|v| rows.degree(v) as u32).collect();
                    let by_id = arrays.copied("degrees, while sorting", &degrees)?;
                    let by_place = arrays.array("degrees", shape.n())?;
                    permute(&by_id, &by_place)?;
                    Ok(by_place)
                };
                (of(graph.incoming())?, of(graph.out())?)
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

/// Queues finding the length of each row of `own`; without those rows, how often each
/// vertex is the other end of an edge of `other`.
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
        // SAFETY: there is an offset for every vertex, and the end of the last row.
        return unsafe { tools.each::<k::Degrees>(shape.n(), &a) };
    }
    to.fill(0)?;
    let Some(rows) = other else { return Ok(()) };
    let a = Count { edges: rows.edges, targets: rows.others.global(), counts: to.global() };
    // SAFETY: every target is a vertex, which has a counter.
    unsafe { tools.each::<k::Count>(rows.edges, &a) }
}
