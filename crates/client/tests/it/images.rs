//! Refusals of pictures are recognized by their text if the request had a picture.

use windlass_client::{Client, Options, Vendors};
use windlass_protocol::{Delivery, File, Image, Message, Part, RefusalKind, Request, Role};
use windlass_stream::{Model, ModelErrorKind};

use crate::server::{Reply, Server, ask, error, events, quick};

fn with_picture() -> Request {
    let parts = vec![Part::text("look"), Part::Image(Image::base64("image/png", "cG5n"))];
    Request::new("scripted-1", vec![Message::new(Role::User, parts)])
}

async fn check(reply: Reply, request: &Request, expected: ModelErrorKind) {
    let server = Server::start(vec![reply]).await;
    let failure = ask(&server.client(Options { retries: 0, ..quick() }), request).await.1.unwrap();
    assert_eq!(failure.kind, expected, "{failure}");
    assert_eq!(server.requests().await.len(), 1, "the same request would be refused again");
}

const BY_WORDS: &str = r#"{"error":{"message":"Could not process image","type":"invalid_request_error"}}"#;

#[tokio::test]
async fn a_refusal_that_names_an_image_has_the_kind_image() {
    let by_code = r#"{"error":{"message":"Bad request","code":"image_parse_error"}}"#;
    let by_parameter = r#"{"error":{"message":"Bad request","param":"messages[0].content[1].image_url"}}"#;
    for body in [BY_WORDS, by_code, by_parameter] {
        check(error(400, "", body), &with_picture(), ModelErrorKind::Image).await;
    }
    let no_vision = r#"{"error":{"message":"No endpoints found that support image input","code":404}}"#;
    check(error(404, "", no_vision), &with_picture(), ModelErrorKind::Image).await;
}

#[test]
fn parts_that_the_model_does_not_take_are_refused_before_a_request() {
    let vendors = Vendors::builtin();
    let client = Client::vendor(vendors.get("deepseek").unwrap().clone()).build().unwrap();
    let mut request = with_picture();
    request.model = "deepseek-chat".to_owned();
    let pdf = File::base64("application/pdf", "AAAA").with_name(Some("a.pdf".to_owned()));
    request.messages =
        vec![Message::user("look").with_part(Image::base64("image/png", "cG5n")).with_part(pdf)].into();
    let refusals = client.check(&request);
    assert_eq!(
        refusals.iter().map(|it| it.kind).collect::<Vec<_>>(),
        [RefusalKind::Image, RefusalKind::File]
    );
    assert_eq!(
        refusals[1].to_string(),
        "messages[0].parts[2]: the file `a.pdf` (application/pdf), but deepseek-chat takes text only, as the built-in \
         table of models states; choose another model, or correct its capabilities in providers.toml"
    );
    request.model = "deepseek-v4-flash-vision-exp".to_owned();
    let kinds: Vec<_> = client.check(&request).iter().map(|refusal| refusal.kind).collect();
    assert_eq!(kinds, [RefusalKind::File]);
}

// S12
#[tokio::test]
async fn an_image_refusal_with_a_success_status_has_the_kind_image() {
    let body = r#"{"error":{"message":"Could not process image","code":400}}"#;
    let streamed = Reply::Close(events(&format!("data: {body}\n\n")));
    check(streamed, &with_picture(), ModelErrorKind::Image).await;
    check(error(200, "", body), &with_picture().with_delivery(Delivery::Whole), ModelErrorKind::Image).await;
}

#[tokio::test]
async fn refusals_without_an_image_or_about_something_else_have_the_kind_refused() {
    let plain = Request::new("scripted-1", vec![Message::user("hello")]);
    check(error(400, "", BY_WORDS), &plain, ModelErrorKind::Refused).await;
    let schema = r#"{"error":{"message":"Invalid schema for function 'view_image'","param":"tools[0]"}}"#;
    check(error(400, "", schema), &with_picture(), ModelErrorKind::Refused).await;
    let quota = r#"{"error":{"message":"no credit for this image"}}"#;
    check(error(402, "", quota), &with_picture(), ModelErrorKind::Refused).await;
}
