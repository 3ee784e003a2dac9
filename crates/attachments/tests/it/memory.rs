//! The memory that a very large picture needs.

use std::fs;
use std::process::Command;

use image::{DynamicImage, RgbImage};
use windlass_attachments::image as read_image;

/// Environment variable with the path of the picture, for the process that is measured.
const PICTURE: &str = "WINDLASS_ATTACHMENTS_PICTURE";
/// Largest memory of a process that reads a picture of 12,000x9,000 pixels, in megabytes. The pixels alone are 309 MiB.
const MAX_MEGABYTES: u64 = 400;

/// Returns the largest size of this process so far, in megabytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
fn a_picture_of_108_megapixels_needs_bounded_memory() {
    if let Some(path) = std::env::var_os(PICTURE) {
        let before = peak();
        let picture = read_image(path).unwrap();
        let (before, after) = (before, peak());
        println!("peak: {before} MB before, {after} MB after, {}", picture.media_type);
        assert!(after < MAX_MEGABYTES, "{after} MB");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let row: Vec<u8> = (0..12_000_u16).flat_map(|x| [x.to_be_bytes()[0], x.to_be_bytes()[1], 128]).collect();
    let pixels = RgbImage::from_raw(12_000, 9_000, row.repeat(9_000)).unwrap();
    let pixels = DynamicImage::ImageRgb8(pixels);
    let (jpeg, png) = (folder.path().join("a.jpg"), folder.path().join("a.png"));
    for path in [&jpeg, &png] {
        pixels.save(path).unwrap();
    }
    drop(pixels);
    for path in [jpeg, png] {
        // The memory of a process never falls below its maximum, so each picture needs a process of its own.
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["memory::a_picture_of_108_megapixels_needs_bounded_memory", "--exact", "--nocapture"])
            .env(PICTURE, &path)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        println!("{}: {} bytes, {text}", path.display(), fs::metadata(&path).unwrap().len());
        assert!(output.status.success() && text.contains("peak: "), "{text}");
    }
}
