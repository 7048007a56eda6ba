//! The API server's own counts of requests, from its metrics.
//!
//! Between two looks nobody but the scheduler under test writes, or what others write is known
//! (the harness creates and deletes pods and groups), so that no audit log has to slow the
//! server down.

use crate::wire::Wire;
use e2e::Fault;
use std::collections::BTreeMap;

/// What was asked for: verb, resource, subresource, status code.
type Key = (String, String, String, u16);

/// Requests so far.
#[derive(Clone, Debug, Default)]
pub struct Counters(BTreeMap<Key, u64>);

impl Counters {
    /// As the API server counts now.
    pub async fn read(wire: &Wire) -> Result<Self, Fault> {
        let bytes = wire.bytes("/metrics").await?;
        Ok(Self::parse(&String::from_utf8_lossy(&bytes)))
    }

    fn parse(text: &str) -> Self {
        let mut counts = BTreeMap::new();
        for line in text.lines() {
            let Some(rest) = line.strip_prefix("apiserver_request_total{") else { continue };
            let Some((labels, value)) = rest.rsplit_once("} ") else { continue };
            let label = |name: &str| {
                let start = format!("{name}=\"");
                let mut found = labels.split(',').filter_map(|one| one.strip_prefix(&start));
                found.next().unwrap_or_default().trim_end_matches('"').to_owned()
            };
            let code = label("code").parse().unwrap_or(0);
            let key = (label("verb"), label("resource"), label("subresource"), code);
            let value: f64 = value.trim().parse().unwrap_or(0.0);
            *counts.entry(key).or_insert(0) += value as u64;
        }
        Self(counts)
    }

    /// What came since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let more = |(key, count): (&Key, &u64)| {
            let count = count - before.0.get(key).unwrap_or(&0).min(count);
            (count > 0).then(|| (key.clone(), count))
        };
        Self(self.0.iter().filter_map(more).collect())
    }

    /// Binds that the server carried out.
    #[must_use]
    pub fn binds(&self) -> u64 {
        let binds = self.0.iter().filter(|((verb, resource, sub, code), _)| {
            verb == "POST" && resource == "pods" && sub == "binding" && (200..300).contains(code)
        });
        binds.map(|(_, count)| count).sum()
    }

    /// Writes that no scheduler's are left out: pods and groups made and deleted, leases of the
    /// server itself.
    fn writes(&self) -> impl Iterator<Item = (&Key, u64)> {
        self.0.iter().filter_map(|(key, count)| {
            let (verb, resource, sub, _) = key;
            let is_write = ["POST", "PUT", "PATCH", "DELETE"].contains(&verb.as_str());
            let is_made = ["pods", "podgroups"].contains(&resource.as_str())
                && sub.is_empty()
                && ["POST", "DELETE"].contains(&verb.as_str());
            // Asking what one may do changes nothing.
            let is_own = ["leases", "subjectaccessreviews"].contains(&resource.as_str());
            (is_write && !is_made && !is_own).then_some((key, *count))
        })
    }

    /// Writes of the scheduler, whatever came of them.
    #[must_use]
    pub fn scheduler_writes(&self) -> u64 {
        self.writes().map(|(_, count)| count).sum()
    }

    /// The same, each kind by itself, for people.
    #[must_use]
    pub fn by_kind(&self) -> String {
        let words = self.writes().map(|((verb, resource, sub, code), count)| {
            let slash = if sub.is_empty() { "" } else { "/" };
            format!("{count} {verb} {resource}{slash}{sub} {code}")
        });
        words.collect::<Vec<String>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(verb: &str, resource: &str, sub: &str, code: u16, count: u64) -> String {
        format!(
            "apiserver_request_total{{code=\"{code}\",component=\"apiserver\",group=\"\",\
             resource=\"{resource}\",scope=\"resource\",subresource=\"{sub}\",verb=\"{verb}\",\
             version=\"v1\"}} {count}\n"
        )
    }

    #[test]
    fn what_the_harness_writes_is_not_the_schedulers() {
        let before = Counters::parse(&line("POST", "pods", "binding", 201, 5));
        let after = [
            line("POST", "pods", "binding", 201, 25),
            line("POST", "pods", "binding", 409, 1),
            line("POST", "pods", "", 201, 20),
            line("PATCH", "podgroups", "status", 200, 2),
            line("PUT", "leases", "", 200, 9),
            line("LIST", "pods", "", 200, 9),
        ];
        let since = Counters::parse(&after.concat()).since(&before);
        assert_eq!((since.binds(), since.scheduler_writes()), (20, 23));
        let words =
            "2 PATCH podgroups/status 200, 20 POST pods/binding 201, 1 POST pods/binding 409";
        assert_eq!(since.by_kind(), words);
    }
}
