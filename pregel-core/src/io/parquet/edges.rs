//! Tables of edges, as they are written.

use std::io;
use std::sync::Arc;

use ::parquet::basic::{Repetition, Type as Physical};
use ::parquet::data_type::FloatType;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::writer::SerializedFileWriter;

use super::write::{GROUP, as_io, column, id_schema, primitive, properties, schema, vertices};
use crate::graph::Graph;
use crate::io::AnyGraph;
use crate::program::{Value, VertexId};

/// A key of the file, whose value says whether edges have a direction.
pub(super) const DIRECTED: &str = "pregel.directed";

/// Writes the columns `source`, `target` and, if there are weights, `weight`,
/// one row per edge; an undirected edge has one row.
///
/// # Errors
/// If `to` cannot be written.
pub(in crate::io) fn write_edges(to: impl io::Write + Send, graph: &AnyGraph) -> io::Result<()> {
    match graph {
        AnyGraph::Plain(graph) => write(to, graph, None),
        AnyGraph::Weighted(graph) => write(to, graph, Some(graph.out_values())),
    }
}

fn write<E: Value>(
    to: impl io::Write + Send,
    graph: &Graph<E>,
    weights: Option<&[f32]>,
) -> io::Result<()> {
    let (ids, rows) = (graph.ids(), graph.out());
    let mut fields = Vec::new();
    for name in ["source", "target"] {
        fields.push(id_schema(name, ids, Repetition::REQUIRED).map_err(as_io)?);
    }
    if weights.is_some() {
        let weight = primitive("weight", Physical::FLOAT, None, Repetition::REQUIRED);
        fields.push(weight.map_err(as_io)?);
    }
    let directed = KeyValue::new(DIRECTED.to_owned(), graph.directed().to_string());
    let properties = properties().set_key_value_metadata(Some(vec![directed])).build();
    let schema = schema("edges", fields)?;
    let mut writer = SerializedFileWriter::new(to, schema, Arc::new(properties)).map_err(as_io)?;

    let places = (0..graph.vertex_count()).flat_map(|source| {
        let row = rows.range(source);
        row.map(move |place| (source, rows.targets()[place], place))
    });
    let mut edges = places.filter(|(source, target, _)| graph.directed() || source <= target);
    let (mut sources, mut targets) = (Vec::<VertexId>::new(), Vec::<VertexId>::new());
    let mut values = Vec::new();
    loop {
        sources.clear();
        targets.clear();
        values.clear();
        for (source, target, place) in edges.by_ref().take(GROUP) {
            sources.push(source);
            targets.push(target);
            values.extend(weights.map(|weights| weights[place]));
        }
        if sources.is_empty() {
            break;
        }
        let mut group = writer.next_row_group().map_err(as_io)?;
        vertices(&mut group, ids, &sources, false)?;
        vertices(&mut group, ids, &targets, false)?;
        if weights.is_some() {
            column::<FloatType, _>(&mut group, &values, None)?;
        }
        group.close().map_err(as_io)?;
    }
    writer.close().map(drop).map_err(as_io)
}
