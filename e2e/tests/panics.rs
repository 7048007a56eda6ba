//! What a failing test leaves for its reader. Alone in its file: a panic anywhere in a process
//! keeps the logs of everything that lives there.

use e2e::ControlPlane;
use std::path::PathBuf;

#[test]
fn the_logs_of_a_test_that_panics_are_kept_and_its_data_is_not() {
    let failing = std::thread::spawn(|| {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
        runtime.block_on(async {
            let plane = ControlPlane::builder().without_controllers().start().await;
            std::panic::panic_any(plane.folder().to_owned());
        });
    });
    let panic = failing.join().expect_err("it panics");
    let folder = panic.downcast::<PathBuf>().expect("it panics with the folder");

    let log = folder.join("kube-apiserver.log");
    assert!(log.exists(), "{} is gone", log.display());
    assert!(!folder.join("bulk").exists(), "the data of etcd is still there");
    std::fs::remove_dir_all(*folder).expect("it can be removed");
}
