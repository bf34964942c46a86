//! The book's pictures: what they show is computed, most of it by running a bundled program.
//!
//! `cargo run -p pregel-book --example pictures` writes them into `docs/src/pictures/`, where a test
//! compares them with what this code makes.

use std::error::Error;
use std::fs;
use std::path::Path;

mod columns;
mod division;
mod maximum;
mod push_pull;
mod record;

/// The result of drawing, or why a picture cannot be drawn.
pub type Drawn = Result<String, Box<dyn Error>>;

/// Every picture: the name of its file and its SVG.
pub fn pictures() -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    Ok(vec![
        ("maximum.svg", maximum::draw()?),
        ("push-pull.svg", push_pull::draw()?),
        ("columns.svg", columns::draw()?),
        ("division.svg", division::draw()?),
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/pictures");
    fs::create_dir_all(&folder)?;
    for (name, svg) in pictures()? {
        fs::write(folder.join(name), svg)?;
    }
    Ok(())
}
