//! The binary snapshot: the rows as they are in memory. `docs/formats.md`
//! has every byte; reader and writer follow it.

mod layout;

use std::io::Write;
use std::path::Path;

pub(crate) use layout::checksum;
use layout::{Header, IdsKind, Kind, MAGIC, Section};

use super::assemble::{Parsed, check_vertices};
use super::input::{Bytes, Input, Opened, Unread};
use super::registry::{Content, Reader};
use super::{AnyGraph, Format, LoadError, LoadOptions, SnapshotError, Weights};
use crate::graph::{
    Buffer, BuildReport, Csr, Duplicates, Graph, IdParts, Ids, SelfLoops, Valued, check_symmetric,
    first_where,
};
use crate::program::Value;

/// Reads [`Format::Snapshot`].
pub(super) struct Snapshot;

impl Reader for Snapshot {
    fn format(&self) -> Format {
        Format::Snapshot
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["pregel"]
    }

    fn claims(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC)
    }

    fn read(&self, input: &Input<'_>, options: &LoadOptions) -> Result<Content, LoadError> {
        let failed = |problem| LoadError::Snapshot { path: input.path.clone(), problem };
        let (header, sections) = Header::decode(&input.bytes).map_err(failed)?;
        let verify = !options.skip_checksums;
        let source = Source::Bytes { path: &input.path, bytes: &input.bytes };
        File { header, sections, source, verify }.read(options)
    }

    /// Reads each section straight into an array of the graph.
    fn read_opened(&self, opened: Opened<'_>, options: &LoadOptions) -> Result<Content, LoadError> {
        let unread = match opened {
            Opened::Unread(unread) => unread,
            opened => return self.read(&opened.into_input()?, options),
        };
        let failed = |problem| LoadError::Snapshot { path: unread.path.clone(), problem };
        let (header, sections) =
            Header::decode_head(&unread.head, unread.length).map_err(failed)?;
        let verify = !options.skip_checksums;
        File { header, sections, source: Source::Unread(&unread), verify }.read(options)
    }
}

/// Whether the options ask for other edges than the snapshot has.
fn rebuilds(header: &Header, options: &LoadOptions) -> bool {
    options.directed.is_some_and(|directed| directed != header.directed)
        || options.duplicates != Duplicates::Keep
        || options.self_loops != SelfLoops::Keep
}

/// The edges one by one, each undirected one once. Undirected rows are symmetric, so
/// that no edge is missed.
fn edges(header: &Header, rows: &Csr, weights: Option<&[f32]>, ids: Ids) -> Parsed {
    let (mut edges, mut kept) = (Vec::new(), weights.map(|_| Vec::new()));
    for source in 0..rows.vertex_count() {
        for place in rows.range(source) {
            let target = rows.targets()[place];
            if header.directed || source <= target {
                edges.push([source, target]);
                if let (Some(kept), Some(weights)) = (&mut kept, weights) {
                    kept.push(weights[place]);
                }
            }
        }
    }
    Parsed { undirected: !header.directed, ..Parsed::new(edges, kept, ids) }
}

/// Where the sections are.
enum Source<'a> {
    Bytes { path: &'a Path, bytes: &'a Bytes<'a> },
    Unread(&'a Unread),
}

/// A snapshot whose header and table are checked.
struct File<'a> {
    header: Header,
    sections: Vec<Section>,
    source: Source<'a>,
    /// Whether the checksums of the sections are verified.
    verify: bool,
}

impl File<'_> {
    fn read(&self, options: &LoadOptions) -> Result<Content, LoadError> {
        let header = &self.header;
        check_vertices(self.path(), u64::from(header.vertices), options)?;
        let weights = (header.weighted && options.weights == Weights::Auto)
            .then(|| self.weights())
            .transpose()?;
        let out = self.rows()?;
        let ids = self.ids()?;
        if rebuilds(header, options) {
            if !header.directed {
                self.check_symmetric(&out, weights.as_deref())?;
            }
            let parsed = edges(header, &out, weights.as_deref(), ids);
            return Ok(Content::Edges(parsed));
        }
        let report = BuildReport { read: header.edges, ..BuildReport::default() };
        let graph = match weights {
            Some(weights) => AnyGraph::Weighted(self.graph(ids, out, weights)?),
            None => {
                let none = Buffer::<()>::from(Vec::new());
                let graph = AnyGraph::Plain(self.graph(ids, out, none)?);
                match options.weights {
                    Weights::Unit => AnyGraph::Weighted(graph.weighted()),
                    _ => graph,
                }
            }
        };
        Ok(Content::Graph(graph, report))
    }

    fn path(&self) -> &Path {
        match &self.source {
            Source::Bytes { path, .. } => path,
            Source::Unread(unread) => &unread.path,
        }
    }

    fn error(&self, problem: SnapshotError) -> LoadError {
        LoadError::Snapshot { path: self.path().to_owned(), problem }
    }

    /// The values of a section: in the map where the file is mapped, a copy
    /// otherwise; empty if the file has no such section.
    fn section<T: Value>(&self, kind: Kind) -> Result<Buffer<T>, LoadError> {
        let Some(section) = self.sections.iter().find(|section| section.kind == kind) else {
            return Ok(Buffer::from(Vec::new()));
        };
        let (start, length) = (section.start, section.length);
        let values = match &self.source {
            Source::Unread(unread) => unread.section::<T>(start as u64, length as u64)?.into(),
            Source::Bytes { bytes: Bytes::Mapped(map), .. } => {
                let values = Buffer::mapped(map, start, length / size_of::<T>());
                values.ok_or_else(|| {
                    let (start, length) = (start as u64, length as u64);
                    self.error(SnapshotError::Place { section: kind.name(), start, length })
                })?
            }
            Source::Bytes { bytes, .. } => {
                let bytes = &bytes[start..start + length];
                Buffer::from(bytemuck::pod_collect_to_vec::<u8, T>(bytes))
            }
        };
        if self.verify {
            let found = checksum(bytemuck::cast_slice(&values[..]));
            if found != section.crc {
                let (section, promised) = (kind.name(), section.crc);
                return Err(self.error(SnapshotError::Checksum { section, promised, found }));
            }
        }
        Ok(values)
    }

    fn weights(&self) -> Result<Buffer<f32>, LoadError> {
        let weights = self.section::<f32>(Kind::Weights)?;
        match first_where(&weights, |weight| !weight.is_finite()) {
            Some(edge) => Err(self.error(SnapshotError::Weight { edge: edge as u64 })),
            None => Ok(weights),
        }
    }

    fn rows(&self) -> Result<Csr, LoadError> {
        let rows = Csr::new(self.section(Kind::Offsets)?, self.section(Kind::Targets)?);
        rows.map_err(|problem| self.error(SnapshotError::Rows(problem)))
    }

    /// Refuses rows of an undirected graph that do not hold every edge both ways.
    fn check_symmetric(&self, rows: &Csr, weights: Option<&[f32]>) -> Result<(), LoadError> {
        let checked = match weights {
            Some(values) => check_symmetric(Valued { rows, values }),
            None => check_symmetric(Valued::<()> { rows, values: &[] }),
        };
        checked.map_err(|problem| self.error(SnapshotError::Rows(problem)))
    }

    fn ids(&self) -> Result<Ids, LoadError> {
        let ids = match self.header.ids {
            IdsKind::Range => Ids::try_range(self.header.first, self.header.vertices),
            IdsKind::Integers => Ids::integers(self.section(Kind::Integers)?),
            IdsKind::Names => Ids::names(self.section(Kind::Names)?, self.section(Kind::NameEnds)?),
        };
        ids.map_err(|problem| self.error(SnapshotError::Ids(problem)))
    }

    /// The graph. Rows by target are made when they are needed, even if the file has them:
    /// to check that they hold the same edges takes as long.
    fn graph<E: Value>(
        &self,
        ids: Ids,
        out: Csr,
        values: Buffer<E>,
    ) -> Result<Graph<E>, LoadError> {
        let graph = Graph::new(self.header.directed, ids, out, values);
        graph.map_err(|problem| self.error(SnapshotError::Rows(problem)))
    }
}

/// Writes a snapshot.
pub(super) fn write(graph: &AnyGraph, to: &mut dyn Write) -> std::io::Result<()> {
    match graph {
        AnyGraph::Plain(graph) => write_graph(graph, None, to),
        AnyGraph::Weighted(graph) => write_graph(graph, Some(graph.out_values()), to),
    }
}

fn write_graph<E: Value>(
    graph: &Graph<E>,
    weights: Option<&[f32]>,
    to: &mut dyn Write,
) -> std::io::Result<()> {
    let (mut contents, mut first) = (Vec::new(), 0);
    let ids = match graph.ids().parts() {
        IdParts::Range { first: low } => {
            first = low;
            IdsKind::Range
        }
        IdParts::Integers(ids) => {
            contents.push((Kind::Integers, bytemuck::cast_slice(ids)));
            IdsKind::Integers
        }
        IdParts::Names { text, ends } => {
            contents.push((Kind::Names, text));
            contents.push((Kind::NameEnds, bytemuck::cast_slice(ends)));
            IdsKind::Names
        }
    };
    let rows = graph.out();
    contents.push((Kind::Offsets, bytemuck::cast_slice(rows.offsets())));
    contents.push((Kind::Targets, bytemuck::cast_slice(rows.targets())));
    contents.extend(weights.map(|weights| (Kind::Weights, bytemuck::cast_slice(weights))));
    let header = Header {
        directed: graph.directed(),
        weighted: weights.is_some(),
        incoming: false,
        ids,
        vertices: graph.vertex_count(),
        edges: graph.edge_count(),
        first,
    };
    let (head, sections) = header.encode(&contents);
    to.write_all(&head)?;
    let mut at = head.len();
    for (section, (_, bytes)) in sections.iter().zip(contents) {
        to.write_all(&vec![0; section.start - at])?;
        to.write_all(bytes)?;
        at = section.start + bytes.len();
    }
    Ok(())
}
