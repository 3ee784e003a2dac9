//! Tests of the exclusion of processes and requests.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{ProcessPlace, RequestPlace};

#[test]
fn a_process_and_a_request_exclude_each_other_in_one_workspace() {
    let root = Path::new("/occupancy/one");
    let process = ProcessPlace::take(&[root.join("src")]).unwrap();
    assert!(RequestPlace::take(root).is_none());
    assert!(RequestPlace::take(Path::new("/occupancy/other")).is_some());
    drop(process);
    assert!(RequestPlace::take(root).is_some());

    // A process that cannot write to the workspace does not count.
    let _process = ProcessPlace::take(&["/occupancy/third".into()]).unwrap();
    assert!(RequestPlace::take(root).is_some());
}

#[test]
fn a_process_waits_for_the_end_of_a_request() {
    let root = PathBuf::from("/occupancy/waits");
    let request = RequestPlace::take(&root).unwrap();
    let waiting = std::thread::spawn({
        let root = root.clone();
        move || ProcessPlace::take(&[root]).unwrap()
    });
    std::thread::sleep(Duration::from_millis(50));
    assert!(!waiting.is_finished());
    drop(request);
    let process = waiting.join().unwrap();
    assert!(RequestPlace::take(&root).is_none());
    drop(process);
}
