//! The Go modules beside this crate, built into the cache.
//!
//! What is built depends on `go.mod`, `go.sum` and the flags alone; their digest is part of the
//! folder's name, and a folder appears whole or not at all. Next: `process.rs` starts what was
//! built.

use crate::cache;
use crate::fault::{Fault, Trying};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Oldest Go that builds the modules.
const GO: (u32, u32) = (1, 26);

/// Builds that nobody used for so long are removed when a newer one appears.
const UNUSED: Duration = Duration::from_secs(14 * 24 * 3600);

/// What can be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    /// `etcd`, `kube-apiserver`, `kube-controller-manager`, `kube-scheduler`, `kubectl`, `kwok`.
    ControlPlane,
    /// `vc-scheduler` and `vc-controller-manager`, and their CRDs in `crds`.
    Volcano,
    /// `helm`, `prometheus`, `promtool`.
    Tools,
}

impl Module {
    /// All of them, the one that every test needs first.
    pub const ALL: [Self; 3] = [Self::ControlPlane, Self::Volcano, Self::Tools];

    /// Name of its folder in this crate.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ControlPlane => "controlplane",
            Self::Volcano => "volcano",
            Self::Tools => "tools",
        }
    }

    /// The path of one of its binaries, which is built first if it must be.
    pub fn binary(self, name: &str) -> Result<PathBuf, Fault> {
        let path = self.build()?.join("bin").join(name);
        if path.is_file() {
            return Ok(path);
        }
        Err(Fault::new(format!(
            "{} is not among the tools of e2e/{}/go.mod, or was removed from the cache: \
             remove its folder and build again",
            path.display(),
            self.name()
        )))
    }

    /// The folder with its binaries in `bin`, made if it is not there yet. Minutes the first
    /// time, then nothing. Several processes may ask at once; one builds, the others wait.
    pub fn build(self) -> Result<PathBuf, Fault> {
        let cache = cache::folder()?;
        let built = cache.join(format!("{}-{}", self.name(), self.digest()?));
        if !built.is_dir() {
            self.build_into(&cache, &built)?;
        }
        // Marks the build as used; that it fails on a cache one may only read does not matter.
        let _ = fs::write(built.join("used"), "");
        Ok(built)
    }

    fn build_into(self, cache: &Path, built: &Path) -> Result<(), Fault> {
        fs::create_dir_all(cache).trying(|| format!("making {}", cache.display()))?;
        let lock = cache.join(format!("{}.lock", self.name()));
        let lock = fs::File::create(&lock).trying(|| format!("opening {}", lock.display()))?;
        lock.lock().trying(|| format!("waiting for another build of {}", self.name()))?;
        if built.is_dir() {
            return Ok(());
        }
        go_is_new_enough()?;
        tell(&format!(
            "building e2e/{} into {} (minutes the first time)",
            self.name(),
            built.display()
        ));
        // Under the lock nobody else builds this module, so what a killed build left is waste.
        let prefix = format!("building-{}-", self.name());
        remove_matching(cache, |name, _| name.starts_with(&prefix));
        let fresh = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(cache)
            .trying(|| format!("making a folder in {}", cache.display()))?;
        let bin = fresh.path().join("bin");
        fs::create_dir(&bin).trying(|| format!("making {}", bin.display()))?;
        self.compile(&bin)?;
        self.copy_crds(&fresh.path().join("crds"))?;
        let fresh = fresh.keep();
        fs::rename(&fresh, built).trying(|| format!("moving the build to {}", built.display()))?;
        self.remove_unused(cache, built);
        Ok(())
    }

    fn compile(self, bin: &Path) -> Result<(), Fault> {
        let output = self
            .go(["build", "-p", "2", "-trimpath", "-buildvcs=false", "-ldflags"])
            .arg(self.linker_flags()?)
            .arg("-o")
            .arg(bin)
            .arg("tool")
            .output()
            .trying(|| format!("building e2e/{}", self.name()))?;
        if !output.status.success() {
            return Err(Fault::new(format!(
                "e2e/{} does not build ({}):\n{}",
                self.name(),
                output.status,
                String::from_utf8_lossy(&output.stderr)
            )));
        }
        for (from, to) in self.renamed() {
            fs::rename(bin.join(from), bin.join(to)).trying(|| format!("naming {to}"))?;
        }
        Ok(())
    }

    /// Binaries that go calls by the last part of their path, and what people call them.
    fn renamed(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::ControlPlane => &[("server", "etcd")],
            Self::Volcano => {
                &[("scheduler", "vc-scheduler"), ("controller-manager", "vc-controller-manager")]
            }
            Self::Tools => &[],
        }
    }

    /// Volcano's CRDs lie in the sources of its module.
    fn copy_crds(self, into: &Path) -> Result<(), Fault> {
        if self != Self::Volcano {
            return Ok(());
        }
        let output = self
            .go(["list", "-m", "-f", "{{.Dir}}", "volcano.sh/volcano"])
            .output()
            .trying(|| "looking for Volcano's sources".to_owned())?;
        let sources = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        fs::create_dir(into).trying(|| format!("making {}", into.display()))?;
        for folder in ["config/crd/volcano/bases", "config/crd/jobflow/bases"] {
            let folder = sources.join(folder);
            let files = fs::read_dir(&folder).trying(|| format!("listing {}", folder.display()))?;
            for file in files {
                let file = file.trying(|| format!("listing {}", folder.display()))?;
                let text = fs::read(file.path()).trying(|| format!("reading {file:?}"))?;
                // Modules are kept without write permission; a copy of bytes leaves that behind.
                fs::write(into.join(file.file_name()), text)
                    .trying(|| format!("copying {file:?}"))?;
            }
        }
        Ok(())
    }

    fn go<const N: usize>(self, args: [&str; N]) -> Command {
        let mut go = Command::new("go");
        go.args(args).current_dir(self.folder()).env("GOTOOLCHAIN", "local").env("GOWORK", "off");
        go
    }

    fn folder(self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(self.name())
    }

    fn read(self, file: &str) -> Result<String, Fault> {
        let path = self.folder().join(file);
        fs::read_to_string(&path).trying(|| format!("reading {}", path.display()))
    }

    /// No symbols; and the version, without which a server calls itself v0.0.0 and clients that
    /// look at versions misbehave.
    fn linker_flags(self) -> Result<String, Fault> {
        let mut flags = "-s -w".to_owned();
        if self == Self::ControlPlane {
            let version = required(&self.read("go.mod")?, "k8s.io/kubernetes")?;
            let parts: Vec<&str> = version.trim_start_matches('v').split('.').collect();
            let [major, minor, ..] = parts[..] else {
                return Err(Fault::new(format!(
                    "e2e/controlplane/go.mod: {version} is no version"
                )));
            };
            for (name, value) in
                [("gitVersion", version.as_str()), ("gitMajor", major), ("gitMinor", minor)]
            {
                let _ = write!(flags, " -X k8s.io/component-base/version.{name}={value}");
            }
        }
        Ok(flags)
    }

    fn digest(self) -> Result<String, Fault> {
        let text = [self.read("go.mod")?, self.read("go.sum")?, self.linker_flags()?].join("\0");
        let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
        Ok(digest.as_ref().iter().take(8).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }

    /// Removes builds of other versions that nobody has used for long.
    fn remove_unused(self, cache: &Path, built: &Path) {
        let prefix = format!("{}-", self.name());
        remove_matching(cache, |name, path| {
            let used = fs::metadata(path.join("used")).and_then(|found| found.modified());
            let age = used.map(|used| SystemTime::now().duration_since(used).unwrap_or_default());
            name.starts_with(&prefix) && path != built && age.is_ok_and(|age| age > UNUSED)
        });
    }
}

/// Removes folders; one that cannot be removed costs room and nothing else.
fn remove_matching(cache: &Path, is_waste: impl Fn(&str, &Path) -> bool) {
    for folder in fs::read_dir(cache).into_iter().flatten().flatten() {
        if is_waste(&folder.file_name().to_string_lossy(), &folder.path()) {
            let _ = fs::remove_dir_all(folder.path());
        }
    }
}

/// Says something at once, also where tests keep their output to themselves.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "e2e: {text}");
}

/// The version of `module` that a `go.mod` asks for.
fn required(manifest: &str, module: &str) -> Result<String, Fault> {
    let wanted = |line: &str| {
        let mut words = line.split_whitespace().skip_while(|word| *word == "require");
        (words.next() == Some(module)).then(|| words.next().map(str::to_owned)).flatten()
    };
    let found = manifest.lines().filter(|line| !line.contains("=>")).find_map(wanted);
    found.ok_or_else(|| Fault::new(format!("go.mod does not require {module}")))
}

fn go_is_new_enough() -> Result<(), Fault> {
    let (major, minor) = GO;
    let remedy = format!(
        "the control plane for tests is built from its sources: install Go {major}.{minor} or \
         newer (https://go.dev/dl), then run `make controlplane`"
    );
    let output = Command::new("go").args(["env", "GOVERSION"]).env("GOTOOLCHAIN", "local").output();
    let output =
        output.map_err(|error| Fault::new(format!("go does not run ({error}); {remedy}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match version(text.trim()) {
        Some(found) if found >= GO => Ok(()),
        _ => Err(Fault::new(format!("go is {:?}; {remedy}", text.trim()))),
    }
}

/// Major and minor of `go1.26.8`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.strip_prefix("go")?.split(|letter: char| !letter.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_a_module_is_read_from_its_manifest() {
        let manifest = "module x\n\nrequire (\n\ta.b/c v1.2.3\n\td v0.1.0 // indirect\n)\n\n\
                        require e v5.0.0\n\nreplace (\n\tf => f v9.9.9\n)\n";
        assert_eq!(required(manifest, "a.b/c").expect("it is there"), "v1.2.3");
        assert_eq!(required(manifest, "e").expect("it is there"), "v5.0.0");
        assert!(required(manifest, "f").is_err());
    }

    #[test]
    fn the_version_of_go_is_compared_by_numbers() {
        assert_eq!(version("go1.26.8"), Some((1, 26)));
        assert_eq!(version("go1.26rc1"), Some((1, 26)));
        assert!(version("go1.9") < Some(GO));
        assert_eq!(version("devel"), None);
    }
}
