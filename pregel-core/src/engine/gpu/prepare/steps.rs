//! The steps of the preparation, one kernel or a few each.

use super::super::device::{Array, Device, DeviceError};
use super::super::options::Sort;
use super::super::queue::Kernels;
use super::super::resident::room;
use super::super::rows::Rows;
use super::super::sort::{Places, Sorter};
use super::super::sums::Sums;
use super::{ChunksMemory, ColumnsMemory, Loaded, PushMemory};
use crate::device::prepare::{Count, Degrees, GroupRows, MoveRows, Permute, ROW_TILE};
use crate::device::{CHUNK_ROWS, Chunk, HUGE_CHUNKS, SHORT_ROWS, WARP, columns};
use crate::program::Value;

/// The steps of the preparation; all of them queue kernels.
pub(in super::super) struct Steps<'a, D: Device> {
    pub(in super::super) device: &'a D,
    pub(in super::super) kernels: &'a Kernels<D>,
}

impl<D: Device> Steps<'_, D> {
    pub(super) fn upload<E: Value>(&self, rows: &Rows<'_, E>) -> Result<Loaded<D, E>, DeviceError> {
        Ok(Loaded {
            edges: rows.edges(),
            offsets: Array::from_slice(self.device, &rows.offsets)?,
            others: Array::from_slice(self.device, &rows.others)?,
            values: Array::from_slice(self.device, &rows.values)?,
        })
    }

    /// The length of every row.
    pub(super) fn degrees<E>(
        &self,
        n: u32,
        rows: &Loaded<D, E>,
    ) -> Result<Array<D, u32>, DeviceError> {
        let degrees = Array::new(self.device, n.into())?;
        let (offsets, of) = (rows.offsets.global(), degrees.global());
        let a = Degrees { vertices: n, offsets, degrees: of };
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.each(self.device, "degrees", n.into(), &a)? };
        Ok(degrees)
    }

    /// How often each vertex is the other end of an edge.
    pub(super) fn count<E>(
        &self,
        n: u32,
        rows: &Loaded<D, E>,
    ) -> Result<Array<D, u32>, DeviceError> {
        let counts = Array::filled(self.device, n.into(), 0)?;
        let a = Count { edges: rows.edges, targets: rows.others.global(), counts: counts.global() };
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.each(self.device, "count", rows.edges, &a)? };
        Ok(counts)
    }

    /// Exclusive prefix sums of `values * factor`, and the sum of all.
    pub(in super::super) fn scan(
        &self,
        values: &Array<D, u32>,
        count: u64,
        factor: u64,
    ) -> Result<Array<D, u64>, DeviceError> {
        let sums = Sums::new(self.device, count)?;
        sums.queue(self.device, self.kernels, values, factor)?;
        Ok(sums.sums)
    }

    /// The order of `n` vertices, by these degrees.
    pub(in super::super) fn order(
        &self,
        n: u32,
        sort: Sort,
        degrees: &Array<D, u32>,
    ) -> Result<Places<D>, DeviceError> {
        let sorter = Sorter::new(self.device, n, sort)?;
        sorter.queue(self.device, self.kernels, degrees)?;
        Ok(sorter.into_places())
    }

    /// `values` by id, in the order of places.
    pub(super) fn permute(
        &self,
        n: u32,
        place_of: &Array<D, u32>,
        values: &Array<D, u32>,
    ) -> Result<Array<D, u32>, DeviceError> {
        let moved = Array::new(self.device, n.into())?;
        let a = Permute {
            count: n,
            place_of: place_of.global(),
            from: values.global(),
            to: moved.global(),
        };
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.each(self.device, "permute", n.into(), &a)? };
        Ok(moved)
    }

    /// Steps 1 and 2 of the remap: the first slot of each group, and all slots.
    pub(super) fn columns<E: Value>(
        &self,
        n: u32,
        degrees: &Array<D, u32>,
        shift: u32,
        split: bool,
    ) -> Result<ColumnsMemory<D, E>, DeviceError> {
        let groups = columns::groups(n, shift);
        let rows = Array::new(self.device, groups.into())?;
        let a = GroupRows { vertices: n, shift, degrees: degrees.global(), rows: rows.global() };
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.each(self.device, "group_rows", groups.into(), &a)? };
        let bases = self.scan(&rows, groups.into(), 1 << shift)?;
        let slots = bases.get(self.device, groups.into())?;
        let chunks = self.chunks(if split { rows.to_vec(self.device)? } else { Vec::new() })?;
        let (senders, values) = (Array::none(), Array::none());
        Ok(ColumnsMemory { shift, bases, slots, senders, values, chunks })
    }

    /// Cuts the groups up to the last of many rows.
    fn chunks(&self, rows: Vec<u32>) -> Result<ChunksMemory<D>, DeviceError> {
        let up_to = |rows_above: u32| {
            rows.iter().rposition(|rows| *rows > rows_above).map_or(0, |last| last + 1)
        };
        let (heavy, long) = (up_to(CHUNK_ROWS), up_to(SHORT_ROWS));
        let huge = up_to(CHUNK_ROWS * HUGE_CHUNKS);
        let (mut list, mut firsts) = (Vec::new(), vec![0]);
        for (group, rows) in (0..).zip(&rows[..heavy]) {
            let pieces = (0..(*rows).max(1)).step_by(CHUNK_ROWS as usize);
            list.extend(pieces.map(|row| Chunk { group, row }));
            firsts.push(list.len() as u32);
        }
        Ok(ChunksMemory {
            count: list.len() as u32,
            heavy: heavy as u32,
            long: long as u32,
            huge: huge as u32,
            list: Array::from_slice(self.device, &list)?,
            firsts: Array::from_slice(self.device, &firsts)?,
        })
    }

    /// Rows by sender in the order of places.
    pub(super) fn move_rows<E: Value>(
        &self,
        n: u32,
        rows: &Loaded<D, E>,
        (place_of, vertex_at): (&Array<D, u32>, &Array<D, u32>),
        degrees: &Array<D, u32>,
    ) -> Result<PushMemory<D, E>, DeviceError> {
        let device = self.device;
        let offsets = self.scan(degrees, n.into(), 1)?;
        let targets = Array::new(device, rows.edges)?;
        let values = match size_of::<E>() {
            0 => Array::none(),
            _ => Array::new(device, rows.edges)?,
        };
        let a = MoveRows {
            vertices: n,
            edges: rows.edges,
            width: size_of::<E>() as u32,
            offsets: rows.offsets.global(),
            others: rows.others.global(),
            values: rows.values.bytes(),
            place_of: place_of.global(),
            vertex_at: vertex_at.global(),
            new_offsets: offsets.global(),
            new_others: targets.global(),
            new_values: values.bytes(),
        };
        let warps = rows.edges.div_ceil(ROW_TILE.into());
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.each(device, "move_rows", warps * u64::from(WARP), &a)? };
        let items = Array::new(device, room(n.into(), rows.edges))?;
        let count = Array::new(device, 1)?;
        Ok(PushMemory { offsets, targets, values, items, count })
    }
}
