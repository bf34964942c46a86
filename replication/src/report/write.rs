//! The files of a report.

use std::fs;
use std::path::{Path, PathBuf};

use pregel_core::io::write_file;

use super::Report;
use crate::ReplicationError;

impl Report {
    /// The report's files, by name: a CSV for each item, an SVG for each figure, `NAME.md` and
    /// `NAME.html`.
    ///
    /// # Errors
    /// If a picture cannot be drawn.
    pub fn files(&self) -> Result<Vec<(String, String)>, ReplicationError> {
        let mut files = Vec::new();
        for item in &self.items {
            let stem = format!("{}-{}", self.name, item.name);
            files.push((format!("{stem}.csv"), item.table.csv()));
            if let Some(figure) = &item.figure {
                files.push((format!("{stem}.svg"), figure.svg(&item.title)?));
            }
        }
        files.push((format!("{}.md", self.name), self.markdown(true)));
        files.push((format!("{}.html", self.name), self.html()?));
        Ok(files)
    }

    /// Writes [`files`](Report::files) into a folder, which is made if it does not exist; each
    /// replaces an older one when it is complete. Returns their paths.
    ///
    /// # Errors
    /// If a picture cannot be drawn, before anything is written, or if the system refuses.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, ReplicationError> {
        let files = self.files()?;
        fs::create_dir_all(folder)
            .map_err(|source| ReplicationError::Folder { path: folder.to_owned(), source })?;
        let mut paths = Vec::with_capacity(files.len());
        for (name, text) in files {
            let path = folder.join(name);
            write_file(&path, |to| to.write_all(text.as_bytes()))?;
            paths.push(path);
        }
        Ok(paths)
    }
}
