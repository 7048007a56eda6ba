//! How amounts look in a schema: maps from resource to quantity, which are numbers and text
//! alike, as in pods; and lengths of time.

use schemars::{Schema, SchemaGenerator, json_schema};

/// Most resources that one map may name; the API server needs a bound.
const RESOURCES_MAX: u32 = 64;

/// Text forms of a length of time, as Go writes them: `90m`, `1h30m`.
pub(crate) const DURATION: &str = r"^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$";

/// Text forms of a quantity that is not negative: `8`, `1500m`, `32Gi`, `1e3`.
const PATTERN: &str =
    r"^\+?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?[0-9]+))?$";

/// A map from resource name to quantity that takes `4` as well as `"4"`. The int-or-string mark
/// says so by itself; types inside an `anyOf` would not survive the way to a structural schema.
pub(crate) fn resources(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "maxProperties": RESOURCES_MAX,
        "additionalProperties": {
            "x-kubernetes-int-or-string": true,
            // The pattern binds texts, this binds numbers.
            "pattern": PATTERN,
            "minimum": 0,
        },
    })
}
