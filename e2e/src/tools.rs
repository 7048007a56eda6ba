//! Prometheus, promtool and helm.

use crate::fault::{Fault, Trying};
use crate::http;
use crate::module::Module;
use crate::peers::wait_for;
use crate::plane::ControlPlane;
use crate::ports::free_port;
use crate::process::Process;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Path of promtool.
pub fn promtool() -> Result<PathBuf, Fault> {
    Module::Tools.binary("promtool")
}

/// Path of helm.
pub fn helm() -> Result<PathBuf, Fault> {
    Module::Tools.binary("helm")
}

/// A running Prometheus. Dropping it kills it.
#[derive(Debug)]
pub struct Prometheus {
    process: Process,
    port: u16,
}

impl Prometheus {
    /// Starts it with the text of its configuration file and files beside that (name, text),
    /// such as rules. Returns when it is ready.
    pub async fn start(
        plane: &ControlPlane,
        config: &str,
        files: &[(&str, &str)],
    ) -> Result<Self, Fault> {
        let folder = plane.folder().join("prometheus");
        std::fs::create_dir_all(&folder).trying(|| format!("making {}", folder.display()))?;
        for (name, text) in files.iter().chain([&("prometheus.yml", config)]) {
            let path = folder.join(name);
            std::fs::write(&path, text).trying(|| format!("writing {}", path.display()))?;
        }
        let port = free_port();
        let mut command = Command::new(Module::Tools.binary("prometheus")?);
        command.arg(format!("--config.file={}", folder.join("prometheus.yml").display()));
        command.arg(format!("--storage.tsdb.path={}", folder.join("data").display()));
        command.arg(format!("--web.listen-address=127.0.0.1:{port}"));
        let mut process = plane.start_process("prometheus", command)?;
        wait_for(&mut process, &format!("http://127.0.0.1:{port}/-/ready")).await?;
        Ok(Self { process, port })
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The `result` of an instant query: a list of series, each with `metric` and `value`.
    pub async fn query(&self, promql: &str) -> Result<Vec<Value>, Fault> {
        let url = format!("{}/api/v1/query?query={}", self.url(), encoded(promql));
        let (status, body) = http::get(&url).await?;
        let answer: Value = serde_json::from_str(&body).trying(|| format!("{promql}: {body}"))?;
        match answer["data"]["result"].as_array() {
            Some(series) if status == 200 => Ok(series.clone()),
            _ => Err(Fault::new(format!("{promql}: {status} {body}"))),
        }
    }

    /// Its log.
    #[must_use]
    pub fn log_path(&self) -> &Path {
        self.process.log_path()
    }
}

/// A text as it stands in a query of a URL.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let one = |byte: u8| match byte {
        plain if is_plain(plain) => char::from(plain).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_survives_the_way_through_a_url() {
        assert_eq!(encoded("sum(a{b=\"c d\"})"), "sum%28a%7Bb%3D%22c%20d%22%7D%29");
    }
}
