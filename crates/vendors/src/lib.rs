#![doc = include_str!("../README.md")]

mod capability;
mod discovery;
mod document;
mod edit;
mod encoder;
mod endpoint;
mod formats;
mod header;
mod images;
mod inputs;
mod listing;
mod pattern;
mod prices;
mod quirk;
mod rejection;
mod rejection_parser;
mod rewrites;
mod vendor;
mod vendors;

pub use capability::{Ability, Claim, ClaimSource, Claims, ModelCapabilities};
pub use discovery::{Discovery, ModelPage, add_model_details};
pub use document::{CapabilityDocument, DocumentError};
pub use encoder::{EncodedRequest, RequestEncoder};
pub use endpoint::{Auth, BrowserSignIn, Endpoint, KeyUse, redact_url};
pub use formats::WireFormat;
pub use header::Header;
pub use images::has_images;
pub use inputs::check_inputs;
pub use listing::{Listing, ModelEntry};
pub use prices::{ModelPrice, StoragePrice};
pub use quirk::Quirk;
pub use rejection::{ParameterRejection, Remedy};
pub use rejection_parser::{parse_rejection, parse_rejection_in_answer};
pub use vendor::Vendor;
pub use vendors::{Vendors, VendorsError};
