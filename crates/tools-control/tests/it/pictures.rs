//! Pictures of the workspace.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_protocol::{Content, Effect, ImageSource, ResultStatus};
use windlass_sandbox::Workspace;
use windlass_tool::{EarlyArguments, Tool};
use windlass_tools_control::ViewImage;

use crate::calling::{call, context, payload};

/// Returns the head of a GIF, from which its size is read.
fn gif(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = b"GIF89a".to_vec();
    bytes.extend(width.to_le_bytes());
    bytes.extend(height.to_le_bytes());
    bytes.extend([0, 0, 0, 0x3b]);
    bytes
}

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 2, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

/// A GIF with an image.
fn whole_gif() -> Vec<u8> {
    let mut bytes = gif(3, 4);
    bytes.pop();
    bytes.extend(b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;");
    bytes
}

fn webp(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"RIFF\x2c\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".to_vec();
    bytes.extend(&(width - 1).to_le_bytes()[..3]);
    bytes.extend(&(height - 1).to_le_bytes()[..3]);
    bytes.extend(b"VP8L\x0d\0\0\0/\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0");
    bytes
}

fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8];
    bytes.extend(height.to_be_bytes());
    bytes.extend(width.to_be_bytes());
    bytes.extend([1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x12, 0xff, 0xd9]);
    bytes
}

struct Scene {
    folder: tempfile::TempDir,
    tool: ViewImage,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tool = ViewImage::new(Arc::new(Workspace::open(folder.path()).unwrap()));
        Self { folder, tool }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Value {
        std::fs::write(self.folder.path().join(name), bytes).unwrap();
        json!({ "path": name })
    }
}

#[tokio::test]
async fn an_image_is_returned_with_its_media_type_and_size() {
    let scene = Scene::new();
    for (name, bytes, media_type) in [
        ("a.gif", whole_gif(), "image/gif"),
        ("a.webp", webp(3, 4), "image/webp"),
        ("wrong-name.png", jpeg(3, 4), "image/jpeg"),
    ] {
        let arguments = scene.write(name, &bytes);
        let output = scene.tool.call(&context(), &payload(&arguments)).await.unwrap();
        let [Content::Text { text }, Content::Image(image)] = output.content.as_slice() else {
            unreachable!("{output:?}")
        };
        assert_eq!(*text, format!("{name}: {media_type}, 3x4, {} bytes", bytes.len()));
        assert_eq!(image.media_type, media_type);
        assert!(matches!(&image.source, ImageSource::Base64(data) if !data.is_empty()));
    }
}

#[test]
fn effects_name_the_file() {
    let scene = Scene::new();
    let expected = [Effect::Read { path: "a/b.png".into() }];
    assert_eq!(scene.tool.effects(&payload(&json!({"path": "./a/b.png"}))), expected);
    let mut early = EarlyArguments::default();
    early.insert("path", "a//b.png".into());
    assert_eq!(scene.tool.early_effects(&early), expected);
    assert_eq!(scene.tool.effects(&payload(&json!({"file": "a"}))), [Effect::Unknown]);
    assert_eq!(scene.tool.inspect(&payload(&json!({"path": "a/b.png"}))).targets[0].path, "a/b.png");
}

#[tokio::test]
async fn files_that_are_not_pictures_are_refused_with_a_remedy() {
    let scene = Scene::new();
    let large = [gif(3, 4), vec![0; 6_000_000]].concat();
    for (name, bytes, said) in [
        (
            "a.txt",
            b"hello".to_vec(),
            "`a.txt` is a text, and only PNG, JPEG, GIF and WebP are shown\nRead it with read_file.",
        ),
        ("a.svg", b"<?xml version='1.0'?>\n<svg/>".to_vec(), "is an SVG drawing, which is text"),
        ("a.pdf", b"%PDF-1.7".to_vec(), "is a PDF document, and only"),
        ("a.bmp", b"BM\0\0\0".to_vec(), "is a BMP picture, and only"),
        ("a.avif", b"\0\0\0 ftypavif".to_vec(), "is an AVIF, HEIC or video file"),
        ("a.bin", vec![0; 9], "is a file in an unknown picture format"),
        ("empty", vec![], "`empty` is empty"),
        (
            "cut.png",
            b"\x89PNG\r\n\x1a\n".to_vec(),
            "begins like a picture (image/png) and cannot be read as one",
        ),
        ("cut.gif", whole_gif()[..20].to_vec(), "cannot be read as one"),
        ("head.png", png(3, 4), "cannot be read as one"),
        ("wide.gif", gif(8_001, 1), "is a picture of 8001x1 and 14 bytes; at most 8000x8000"),
        ("flat.gif", gif(1, 0), "is a picture of 1x0"),
        ("bomb.png", png(4_000_000_000, 4_000_000_000), "is a picture of 4000000000x4000000000"),
        ("large.gif", large, "is a picture of 3x4 and 6000014 bytes"),
    ] {
        let arguments = scene.write(name, &bytes);
        let (status, text) = call(&scene.tool, &arguments).await;
        assert_eq!(status, ResultStatus::Error);
        assert!(text.contains(said), "{text}");
    }
    for (path, said) in
        [("none.png", "`none.png` does not exist"), ("../a.png", "outside"), (".", "a folder")]
    {
        let (_, text) = call(&scene.tool, &json!({ "path": path })).await;
        assert!(text.contains(said), "{text}");
    }
}
