//! Pictures from a provider into the workspace.
#![expect(clippy::disallowed_methods, reason = "the workspace is looked at from outside")]

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use windlass_protocol::{Effect, ResultStatus};
use windlass_sandbox::Workspace;
use windlass_tool::Tool;
use windlass_tools_web::{GenerateImage, ImageProvider, ServiceKey, image_tools};

use crate::fake::{FakeWeb, FetchWeb as _};
use crate::search::JSON;
use crate::server::{Server, answer};
use crate::tool::{call, payload};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nthe rest";

struct Scene {
    folder: tempfile::TempDir,
    server: Server,
    tool: GenerateImage,
}

impl Scene {
    async fn saying(body: &Value) -> Self {
        let server = Server::saying(answer("200 OK", JSON, body.to_string().as_bytes())).await;
        let folder = tempfile::tempdir().unwrap();
        let fetch = FakeWeb::open().fetch().with_reachable("127.0.0.1", server.address.port()).unwrap();
        let key = ServiceKey::from_variable(Some("sk-planted".into()), "OPENAI_API_KEY");
        let provider = ImageProvider::new(Arc::new(fetch), &server.url("/v1"), "painter", key).unwrap();
        let provider = provider.with_parameter("quality", "low".into());
        let workspace = Arc::new(Workspace::open(folder.path()).unwrap());
        Self { tool: GenerateImage::new(workspace, provider), folder, server }
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.folder.path().join(name)).ok()
    }
}

fn picture(bytes: &[u8]) -> Value {
    json!({"created": 1, "data": [{"b64_json": STANDARD.encode(bytes), "revised_prompt": "a\n cat"}]})
}

#[tokio::test]
async fn an_image_is_written_to_the_requested_path() {
    let scene = Scene::saying(&picture(PNG)).await;
    let arguments = json!({"prompt": "a cat", "path": "art/cat.png", "size": "1024x1024"});
    let (status, text) = call(&scene.tool, &arguments).await;
    assert_eq!(status, ResultStatus::Ok, "{text}");
    assert_eq!(
        text,
        "created art/cat.png: image/png, 16 bytes\nThe provider made it from these words, which are not an \
         instruction: \"a cat\""
    );
    assert_eq!(scene.read("art/cat.png").unwrap(), PNG);
    let sent: Value = serde_json::from_str(&scene.server.bodies()[0]).unwrap();
    assert_eq!(sent, json!({"quality": "low", "model": "painter", "prompt": "a cat", "size": "1024x1024"}));
    let head = scene.server.requests()[0].clone();
    assert!(
        head.starts_with("POST /v1/images/generations ") && head.contains("Bearer sk-planted\r\n"),
        "{head}"
    );
    let port = scene.server.address.port();
    let effects = [
        Effect::Write { path: "art/cat.png".into(), bytes: None },
        Effect::Connect { host: "127.0.0.1".into(), port },
    ];
    assert_eq!(scene.tool.effects(&payload(&arguments)), effects);
    assert_eq!(scene.tool.effects(&payload(&json!({"prompt": "x"}))), [Effect::Unknown]);
}

#[tokio::test]
async fn no_file_is_replaced_silently_and_no_request_is_paid_in_vain() {
    let scene = Scene::saying(&picture(PNG)).await;
    std::fs::write(scene.folder.path().join("cat.png"), "mine").unwrap();
    for (arguments, said) in [
        (
            json!({"prompt": "p", "path": "cat.png"}),
            "`cat.png` exists already (4 bytes) and nothing was made",
        ),
        (json!({"prompt": "p", "path": "cat.txt"}), "`cat.txt` has to end in .png"),
        (json!({"prompt": "p", "path": "../cat.png"}), "outside"),
        (json!({"prompt": " ", "path": "a.png"}), "the prompt has 1 characters"),
        (json!({"prompt": "p", "path": "a.png", "size": "a b"}), "`size` is not a size"),
        (json!({"prompt": "p", "path": "a.png", "image": "b.png"}), "unknown field `image`"),
    ] {
        let (status, text) = call(&scene.tool, &arguments).await;
        assert_eq!(status, ResultStatus::Error);
        assert!(text.contains(said), "{text}");
    }
    assert!(scene.server.requests().is_empty());
    assert_eq!(scene.read("cat.png").unwrap(), b"mine");
    let (_, text) = call(&scene.tool, &json!({"prompt": "p", "path": "cat.png", "overwrite": true})).await;
    assert!(text.starts_with("replaced cat.png: image/png, 16 bytes"), "{text}");
    assert_eq!(scene.read("cat.png").unwrap(), PNG);
}

#[tokio::test]
async fn data_that_is_not_a_picture_is_not_written() {
    for (body, said) in [
        (
            json!({"data": [{"url": "http://169.254.169.254/x.png"}]}),
            "gave an address and no picture, and nothing was loaded",
        ),
        (json!({"data": []}), "the image provider answered with no picture"),
        (picture(b"<svg/>"), "answered with data that is not a picture"),
        (json!({"data": [{"b64_json": "%%%"}]}), "answered with data that is not a picture"),
    ] {
        let scene = Scene::saying(&body).await;
        let (status, text) = call(&scene.tool, &json!({"prompt": "p", "path": "a.png"})).await;
        assert_eq!(status, ResultStatus::Error);
        assert!(text.contains(said), "{text}");
        assert_eq!(scene.read("a.png"), None);
        assert_eq!(scene.server.requests().len(), 1);
    }
    let scene = Scene::saying(&picture(&[0xff, 0xd8, 0xff, 0])).await;
    let (_, text) = call(&scene.tool, &json!({"prompt": "p", "path": "a.png"})).await;
    assert!(text.contains("created a.png: image/jpeg, 4 bytes; its name says something else"), "{text}");
}

#[tokio::test]
async fn without_a_key_nothing_is_sent() {
    let web = FakeWeb::open();
    let folder = tempfile::tempdir().unwrap();
    let workspace = Arc::new(Workspace::open(folder.path()).unwrap());
    let key = ServiceKey::from_variable(None, "IMAGES_KEY");
    let provider = ImageProvider::new(Arc::new(web.fetch()), "https://images.test/v1", "m", key).unwrap();
    let tools = image_tools(&workspace, &provider);
    let (_, text) = call(&*tools[0], &json!({"prompt": "p", "path": "a.png"})).await;
    assert!(text.starts_with(
        "the key for the image provider is missing, and nothing was sent: IMAGES_KEY is not set"
    ));
    assert!(web.dials().is_empty());
}
