//! libFuzzer's door to the trial `objects`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| scheduler_kube_fuzz::run("objects", data));
