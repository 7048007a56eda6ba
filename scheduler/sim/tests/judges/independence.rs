//! The judges name nothing of the engine.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is part of the crate") {
        let path = entry.expect("the folder can be listed").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn the_judges_share_no_code_with_the_engine() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    for judge in ["checker", "oracle"] {
        sources(&src.join(judge), &mut files);
    }
    assert!(files.len() > 15, "the folders moved: only {} files", files.len());
    let modules = ["amount", "event", "explain", "spec", "time", "world"];
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file is text");
        for banned in ["scheduler_core", "scheduler_framework", "plugins::"] {
            assert!(!text.contains(banned), "{} names {banned}", file.display());
        }
        for rest in text.split("scheduler_model::").skip(1) {
            let module = rest.split([':', ';', ' ']).next().unwrap_or_default();
            assert!(modules.contains(&module), "{} uses model's {module}", file.display());
        }
    }
}
