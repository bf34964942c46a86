//! Parquet tables of edges and of results.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;
use pregel_core::graph::{Graph, Ids};
use pregel_core::io::parquet::{Values, write_columns};
use pregel_core::io::{AnyGraph, Format, LoadError, LoadOptions, Loaded, ParquetError, load, save};

/// A column of a test file; `None` is null.
enum Column {
    I32(Vec<i32>),
    I64(Vec<i64>),
    Text(Vec<&'static str>),
    F64(Vec<Option<f64>>),
}

/// Writes each column in two row groups of half the rows.
fn write(path: &Path, schema: &str, columns: &[Column]) {
    write_groups(path, schema, columns, 2);
}

/// Writes each column in row groups of about as many rows each.
fn write_groups(path: &Path, schema: &str, columns: &[Column], groups: usize) {
    let schema = Arc::new(parse_message_type(&format!("message edges {{ {schema} }}")).unwrap());
    let file = std::fs::File::create(path).unwrap();
    let properties = Arc::new(WriterProperties::default());
    let mut writer = SerializedFileWriter::new(file, schema, properties).unwrap();
    for i in 0..groups {
        let part = |length: usize| length * i / groups..length * (i + 1) / groups;
        let mut group = writer.next_row_group().unwrap();
        for column in columns {
            let mut to = group.next_column().unwrap().unwrap();
            match column {
                Column::I32(all) => {
                    to.typed::<Int32Type>().write_batch(&all[part(all.len())], None, None)
                }
                Column::I64(all) => {
                    to.typed::<Int64Type>().write_batch(&all[part(all.len())], None, None)
                }
                Column::Text(all) => {
                    let all: Vec<ByteArray> = all.iter().map(|text| (*text).into()).collect();
                    to.typed::<ByteArrayType>().write_batch(&all[part(all.len())], None, None)
                }
                Column::F64(all) => {
                    let part = &all[part(all.len())];
                    let levels: Vec<i16> = part.iter().map(|v| i16::from(v.is_some())).collect();
                    let values: Vec<f64> = part.iter().flatten().copied().collect();
                    to.typed::<DoubleType>().write_batch(&values, Some(&levels), None)
                }
            }
            .unwrap();
            to.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
}

fn read(schema: &str, columns: &[Column]) -> Result<Loaded, LoadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.parquet");
    write(&path, schema, columns);
    load(&path, &LoadOptions::default())
}

fn problem(schema: &str, columns: &[Column]) -> ParquetError {
    match read(schema, columns) {
        Err(LoadError::Parquet { problem, .. }) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn integers_and_weights() {
    let schema = "optional double weight; required int64 target; required int64 source;";
    let weights = Column::F64(vec![Some(0.5), Some(1.0), Some(-2.0)]);
    let columns = [weights, Column::I64(vec![7, 1 << 40, 5]), Column::I64(vec![5, 5, 1 << 40])];
    let loaded = read(schema, &columns).unwrap();
    assert_eq!(loaded.format, Format::Parquet);
    let graph = loaded.graph.weighted();
    assert_eq!((graph.vertex_count(), graph.directed()), (3, true));
    assert_eq!(graph.out().row(0), [1, 2]);
    assert_eq!(graph.out_values(), [0.5, 1.0, -2.0]);
    assert_eq!(graph.ids().find_integer(1 << 40), Some(2));
}

#[test]
fn the_first_two_columns_and_names() {
    let schema = "required int32 a; required int32 b; required int32 c;";
    let column = |values: [i32; 2]| Column::I32(values.to_vec());
    let loaded = read(schema, &[column([1, 2]), column([2, 3]), column([9, 9])]).unwrap();
    assert_eq!((loaded.graph.vertex_count(), loaded.graph.has_weights()), (3, false));

    let schema = "required binary src (STRING); required binary dst (STRING);";
    let columns = [Column::Text(vec!["zoe", "adam"]), Column::Text(vec!["adam", "eve"])];
    let loaded = read(schema, &columns).unwrap();
    assert_eq!(loaded.graph.ids().find("zoe"), Some(0));
    assert_eq!(loaded.graph.plain().out().row(1), [2]);
}

#[test]
fn unsigned_ids() {
    let schema = "required int32 source (INTEGER(32,false)); required int64 target (UINT_64);";
    let loaded = read(schema, &[Column::I32(vec![-1, 0]), Column::I64(vec![-1, 0])]).unwrap();
    let ids: Vec<String> = (0..3).map(|v| loaded.graph.ids().get(v).to_string()).collect();
    assert_eq!(ids, ["0", "4294967295", "18446744073709551615"]);
}

#[test]
fn wrong_tables() {
    let two = |a: Vec<i64>, b: Vec<i64>| [Column::I64(a), Column::I64(b)];
    let schema = "required int64 source; required int64 target;";
    let negative = problem(schema, &two(vec![1, 2, 3, 4], vec![1, 2, 3, -4]));
    let column = "target".to_owned();
    assert_eq!(negative, ParquetError::Negative { column, row: 4, found: -4 });
    let one = problem("required int64 source;", &two(vec![1], vec![])[..1]);
    assert_eq!(one, ParquetError::Columns { found: vec!["source".to_owned()] });
    let weighted = "required int64 source; required int64 target; optional double weight;";
    let ends = || Column::I64(vec![1, 2, 3, 4]);
    let null = Column::F64(vec![Some(1.0), Some(1.0), Some(1.0), None]);
    let column = "weight".to_owned();
    assert_eq!(
        problem(weighted, &[ends(), ends(), null]),
        ParquetError::Null { column: column.clone(), row: 4 }
    );
    let nan = Column::F64(vec![Some(1.0), Some(f64::NAN), Some(1.0), Some(1.0)]);
    assert_eq!(
        problem(weighted, &[ends(), ends(), nan]),
        ParquetError::NotFinite { column, row: 2 }
    );
    let mixed = "required int64 source; required binary target;";
    let columns = [Column::I64(vec![1, 2]), Column::Text(vec!["a", "b"])];
    assert!(matches!(problem(mixed, &columns), ParquetError::Type { .. }));
    let named = "required binary source; required binary target;";
    let columns = [Column::Text(vec!["a", "b"]), Column::Text(vec!["a", ""])];
    assert!(matches!(problem(named, &columns), ParquetError::Name { row: 2, .. }));
}

#[test]
fn damaged_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.parquet");
    let ends = || Column::I64((0..1000).collect());
    write(&path, "required int64 source; required int64 target;", &[ends(), ends()]);
    let bytes = std::fs::read(&path).unwrap();
    for length in (0..bytes.len()).step_by(97) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let cut = load(&path, &LoadOptions::default());
        assert!(matches!(cut, Err(LoadError::Parquet { .. })), "{length}: {cut:?}");
    }
}

/// Found by the fuzz target: a missing dictionary, over which the decoder
/// panics, and one of 2 thousand million values, for which it takes memory.
#[test]
fn forged_dictionaries() {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fuzz/seeds/parquet");
    for name in ["no-dictionary", "huge-dictionary"] {
        let forged = load(&Path::new(seeds).join(name), &LoadOptions::default());
        let damaged = |problem: &ParquetError| matches!(problem, ParquetError::Damaged(_));
        let refused =
            matches!(&forged, Err(LoadError::Parquet { problem, .. }) if damaged(problem));
        assert!(refused, "{name}: {forged:?}");
    }
}

/// A run of equal values takes next to no bytes in the file, so that many row
/// groups are cheap; what they hold together counts.
#[test]
fn the_limit_is_for_all_row_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.parquet");
    let ends = || Column::I64(vec![7; 100_000]);
    write_groups(&path, "required int64 source; required int64 target;", &[ends(), ends()], 100);
    let load = |limit: u64| load(&path, &LoadOptions::default().with_max_decompressed(limit));
    assert_eq!(load(800_000).unwrap().graph.edge_count(), 100_000);
    let refused = load(799_999);
    let Err(LoadError::Parquet { problem, .. }) = refused else { panic!("{refused:?}") };
    let column = "source".to_owned();
    assert_eq!(problem, ParquetError::TooLong { column, limit: 799_999 });
}

/// What other programs find in a table of edges.
#[test]
fn edges() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.parquet");
    let graph = Graph::from_weighted_edges([(7, 9, 0.5), (9, 9, 2.0)]).unwrap();
    save(&path, &AnyGraph::Weighted(graph), None).unwrap();
    let reader = SerializedFileReader::try_from(&*path).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let names: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
    assert_eq!(names, ["source", "target", "weight"]);
    let rows = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().into_columns());
    let rows: Vec<Vec<Field>> =
        rows.map(|row| row.into_iter().map(|(_, field)| field).collect()).collect();
    assert_eq!(rows[0], [Field::ULong(7), Field::ULong(9), Field::Float(0.5)]);
    assert_eq!(rows[1], [Field::ULong(9), Field::ULong(9), Field::Float(2.0)]);
    assert_eq!(rows.len(), 2);
}

#[test]
fn edges_in_several_row_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.parquet");
    let count = (1 << 20) + 5u32;
    let graph = Graph::from_edges((0..count).map(|v| (v, v / 2))).unwrap();
    save(&path, &AnyGraph::Plain(graph.clone()), None).unwrap();
    let reader = SerializedFileReader::try_from(&*path).unwrap();
    assert_eq!(reader.metadata().num_row_groups(), 2);
    let loaded = load(&path, &LoadOptions::default()).unwrap();
    assert_eq!(loaded.graph.plain().out().targets(), graph.out().targets());
}

#[test]
fn results() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.parquet");
    let rows = |path: &Path| -> Vec<Vec<Field>> {
        let reader = SerializedFileReader::try_from(path).unwrap();
        let rows = reader.get_row_iter(None).unwrap();
        rows.map(|row| row.unwrap().into_columns().into_iter().map(|(_, field)| field).collect())
            .collect()
    };
    let write = |ids: &Ids, columns: &[(&str, Values<'_>)]| {
        write_columns(File::create(&path).unwrap(), ids, columns).unwrap();
    };
    write(&Ids::range(7, 2), &[("value", Values::F64(&[0.5, f64::INFINITY]))]);
    assert_eq!(rows(&path)[1], [Field::ULong(8), Field::Double(f64::INFINITY)]);
    let ids = Ids::names(b"annbob".to_vec().into(), vec![3, 6].into()).unwrap();
    write(&ids, &[("value", Values::U32(&[1, u32::MAX]))]);
    assert_eq!(rows(&path)[1], [Field::Str("bob".to_owned()), Field::UInt(u32::MAX)]);
    let last = Ids::range(u64::MAX - 2, 2);
    let columns = [("value", Values::I32(&[0, -1])), ("parent", Values::Vertices(&[u32::MAX, 0]))];
    write(&last, &columns);
    let (first, second) = (u64::MAX - 2, u64::MAX - 1);
    assert_eq!(rows(&path)[0], [Field::ULong(first), Field::Int(0), Field::Null]);
    assert_eq!(rows(&path)[1], [Field::ULong(second), Field::Int(-1), Field::ULong(first)]);
    let parents = [("parent", Values::Vertices(&[1, u32::MAX]))];
    write(&ids, &parents);
    assert_eq!(rows(&path)[0], [Field::Str("ann".to_owned()), Field::Str("bob".to_owned())]);
    assert_eq!(rows(&path)[1], [Field::Str("bob".to_owned()), Field::Null]);
    // Names of columns may come from names of vertices.
    write(&ids, &[("from a, {b};", Values::I32(&[5, 6]))]);
    let reader = SerializedFileReader::try_from(&*path).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    assert_eq!(schema.column(1).name(), "from a, {b};");
    write_columns(Vec::new(), &ids, &[("value", Values::I64(&[1]))]).unwrap_err();
}
