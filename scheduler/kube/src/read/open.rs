//! Paths into sources: files, folders, standard input.

use super::Source;
use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Endings of the files that are taken from a folder.
const ENDINGS: [&str; 6] = [".yaml", ".yml", ".json", ".yaml.gz", ".yml.gz", ".json.gz"];

/// A path that cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The path as it was given.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.path, self.message, self.remedy)
    }
}

/// The sources that `paths` name, in their order: a file, all YAML and JSON files below a
/// folder in order of their paths, or `-` for standard input.
///
/// # Errors
/// All paths that cannot be read.
pub fn open(paths: &[PathBuf]) -> Result<Vec<Source>, Vec<Unreadable>> {
    let (mut sources, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        if path.as_os_str() == "-" {
            let reader = Box::new(io::stdin());
            sources.push(Source { name: "stdin".to_owned(), reader });
            continue;
        }
        match files(path) {
            Ok(files) if files.is_empty() => failed.push(Unreadable {
                path: show(path),
                message: "the folder has no YAML or JSON file".to_owned(),
                remedy: format!("name files, or a folder with some of {}", ENDINGS.join(" ")),
            }),
            Ok(files) => sources.extend(files.into_iter().map(source)),
            Err((path, error)) => failed.push(unreadable(&path, &error)),
        }
    }
    if failed.is_empty() { Ok(sources) } else { Err(failed) }
}

fn show(path: &Path) -> String {
    path.display().to_string()
}

fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => "check the path",
        io::ErrorKind::PermissionDenied => "make it readable for you",
        _ => "check that it is a file or a folder that can be read",
    };
    Unreadable { path: show(path), message: plain(error), remedy: remedy.to_owned() }
}

/// The error without the number that Rust appends.
pub(super) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

fn source(path: PathBuf) -> Source {
    Source { name: show(&path), reader: Box::new(Late { path, file: None }) }
}

/// The path itself if it is a file; else all files below it, in order.
fn files(path: &Path) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let blame = |path: &Path| {
        let path = path.to_owned();
        move |error| (path, error)
    };
    if !path.metadata().map_err(blame(path))?.is_dir() {
        File::open(path).map_err(blame(path))?;
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = VecDeque::from([path.to_owned()]);
    while let Some(folder) = folders.pop_front() {
        for entry in folder.read_dir().map_err(blame(&folder))? {
            let entry = entry.map_err(blame(&folder))?;
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().to_lowercase());
            // Links to folders are not followed: they may lead in a circle.
            if entry.file_type().map_err(blame(&path))?.is_dir() {
                folders.push_back(path);
            } else if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
                File::open(&path).map_err(blame(&path))?;
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A file that is opened when it is its turn: a folder may have more files than a process may
/// hold open.
struct Late {
    path: PathBuf,
    file: Option<File>,
}

impl Read for Late {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(file) = &mut self.file {
            return file.read(into);
        }
        self.file.insert(File::open(&self.path)?).read(into)
    }
}
