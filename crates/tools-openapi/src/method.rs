//! HTTP methods of operations.

use std::fmt;

use windlass_protocol::Risk;

/// HTTP method of an operation. `TRACE` is not offered, because it can return the credentials of a request.
///
/// ```
/// use windlass_tools_openapi::Method;
/// assert!(Method::Get.is_safe() && !Method::Delete.is_safe());
/// assert_eq!(Method::Patch.to_string(), "PATCH");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Reads a resource.
    Get,
    /// Reads the headers of a resource.
    Head,
    /// Reads the abilities of a resource.
    Options,
    /// Processes a body, for example to create a resource.
    Post,
    /// Replaces a resource.
    Put,
    /// Changes a part of a resource.
    Patch,
    /// Removes a resource.
    Delete,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 7] =
        [Self::Get, Self::Head, Self::Options, Self::Post, Self::Put, Self::Patch, Self::Delete];

    /// Returns the name in upper case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Returns true if a request only reads (RFC 9110, section 9.2.1).
    pub fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head | Self::Options)
    }

    /// Returns the key of the method in a path item.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Head => "head",
            Self::Options => "options",
            Self::Post => "post",
            Self::Put => "put",
            Self::Patch => "patch",
            Self::Delete => "delete",
        }
    }

    /// Returns true if a repeated request has the effect of one request (RFC 9110, section 9.2.2).
    pub(crate) fn is_idempotent(self) -> bool {
        !matches!(self, Self::Post | Self::Patch)
    }

    /// Returns the minimum risk. A removal is critical, because nothing can revert it.
    pub(crate) fn risk(self) -> Risk {
        match self {
            Self::Get | Self::Head | Self::Options => Risk::Medium,
            Self::Post | Self::Put | Self::Patch => Risk::High,
            Self::Delete => Risk::Critical,
        }
    }

    pub(crate) fn to_http(self) -> hyper::Method {
        match self {
            Self::Get => hyper::Method::GET,
            Self::Head => hyper::Method::HEAD,
            Self::Options => hyper::Method::OPTIONS,
            Self::Post => hyper::Method::POST,
            Self::Put => hyper::Method::PUT,
            Self::Patch => hyper::Method::PATCH,
            Self::Delete => hyper::Method::DELETE,
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
