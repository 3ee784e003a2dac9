#![doc = include_str!("../README.md")]

mod capability;
mod discovery;
mod document;
mod edit;
mod encoder;
mod endpoint;
mod fact;
mod formats;
mod header;
mod images;
mod lesson;
mod listing;
mod quirk;
mod rewrites;
mod vendor;
mod vendors;

pub use capability::{Ability, Answer, Known, Said, Source};
pub use discovery::{Discovery, ModelPage, add_model_details};
pub use document::{CapabilityDocument, DocumentError};
pub use encoder::RequestEncoder;
pub use endpoint::{Auth, Endpoint, KeyUse, redact_url};
pub use fact::{Fact, Remedy};
pub use formats::WireFormat;
pub use header::Header;
pub use images::has_images;
pub use lesson::{lesson, lesson_in_answer};
pub use listing::{Listing, ModelEntry};
pub use quirk::Quirk;
pub use vendor::Vendor;
pub use vendors::{Vendors, VendorsError};
