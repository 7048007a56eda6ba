//! libFuzzer's door to the trial `documents`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| scheduler_kube_fuzz::run("documents", data));
