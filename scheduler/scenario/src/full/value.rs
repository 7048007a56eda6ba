//! How a model value and its form in the file turn into each other.
//!
//! [`mirror!`] does structs, [`words!`] enums; what both are made of is below.

use crate::read::{Text, read_amount, write_time};
use scheduler_model::amount::{Amount, Unit};
use scheduler_model::spec::Resources;
use scheduler_model::time::{Span, Time};
use serde::ser::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A model value with a form in the file. `into_value(to_file(x)) == x`.
pub(crate) trait Mirror: Sized {
    /// The form in the file.
    type File;
    /// The form in the file.
    fn to_file(&self) -> Self::File;
    /// The model value.
    fn into_value(file: Self::File) -> Self;
}

/// Mirrors a struct: `required` fields always stand in the file, the others only where they
/// differ from `base`.
macro_rules! mirror {
    ($value:ident as $file:ident, base $base:expr,
     required { $($must:ident: $must_type:ty),* }
     optional { $($may:ident: $may_type:ty),* $(,)? }) => {
        #[doc = concat!("Mirror of `", stringify!($value), "`.")]
        #[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
        #[serde(deny_unknown_fields, rename_all = "camelCase")]
        pub(crate) struct $file {
            $($must: <$must_type as $crate::full::Mirror>::File,)*
            $(#[serde(default, skip_serializing_if = "Option::is_none")]
            $may: Option<<$may_type as $crate::full::Mirror>::File>,)*
        }

        impl $crate::full::Mirror for $value {
            type File = $file;

            fn to_file(&self) -> $file {
                let base: Self = $base;
                let _ = &base;
                $file {
                    $($must: $crate::full::Mirror::to_file(&self.$must),)*
                    $($may: (self.$may != base.$may)
                        .then(|| $crate::full::Mirror::to_file(&self.$may)),)*
                }
            }

            fn into_value(file: $file) -> Self {
                let base: Self = $base;
                let _ = &base;
                Self {
                    $($must: <$must_type as $crate::full::Mirror>::into_value(file.$must),)*
                    $($may: match file.$may {
                        Some(value) => <$may_type as $crate::full::Mirror>::into_value(value),
                        None => base.$may,
                    },)*
                }
            }
        }
    };
}

/// Mirrors an enum whose variants carry nothing or one value.
macro_rules! words {
    ($value:ident as $file:ident ($case:literal) { $($word:ident $(($inner:ty))?),* $(,)? }) => {
        #[doc = concat!("Mirror of `", stringify!($value), "`.")]
        #[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
        #[serde(rename_all = $case)]
        pub(crate) enum $file {
            $(#[doc = concat!("Mirror of `", stringify!($word), "`.")]
            $word $((<$inner as $crate::full::Mirror>::File))?,)*
        }

        impl $crate::full::Mirror for $value {
            type File = $file;

            fn to_file(&self) -> $file {
                match self {
                    $($crate::full::words!(@ $value $word inner $(, $inner)?) =>
                        $crate::full::words!(> $file $word inner $(, $inner)?),)*
                }
            }

            fn into_value(file: $file) -> Self {
                match file {
                    $($crate::full::words!(@ $file $word inner $(, $inner)?) =>
                        $crate::full::words!(< $value $word inner $(, $inner)?),)*
                }
            }
        }
    };
    (@ $type:ident $word:ident $name:ident) => { $type::$word };
    (@ $type:ident $word:ident $name:ident, $inner:ty) => { $type::$word($name) };
    (> $type:ident $word:ident $name:ident) => { $type::$word };
    (> $type:ident $word:ident $name:ident, $inner:ty) => {
        $type::$word($crate::full::Mirror::to_file($name))
    };
    (< $type:ident $word:ident $name:ident) => { $type::$word };
    (< $type:ident $word:ident $name:ident, $inner:ty) => {
        $type::$word(<$inner as $crate::full::Mirror>::into_value($name))
    };
}

pub(crate) use {mirror, words};

macro_rules! as_is {
    ($($plain:ty),*) => { $(
        impl Mirror for $plain {
            type File = $plain;

            fn to_file(&self) -> $plain {
                self.clone()
            }

            fn into_value(file: $plain) -> $plain {
                file
            }
        }
    )* };
}

as_is!(String, bool, u8, i32, i64, u32, u64, BTreeMap<String, u32>);

impl<T: Mirror> Mirror for Vec<T> {
    type File = Vec<T::File>;

    fn to_file(&self) -> Self::File {
        self.iter().map(T::to_file).collect()
    }

    fn into_value(file: Self::File) -> Self {
        file.into_iter().map(T::into_value).collect()
    }
}

impl<T: Mirror> Mirror for Option<T> {
    type File = Option<T::File>;

    fn to_file(&self) -> Self::File {
        self.as_ref().map(T::to_file)
    }

    fn into_value(file: Self::File) -> Self {
        file.map(T::into_value)
    }
}

impl<T: Mirror> Mirror for Box<T> {
    type File = Box<T::File>;

    fn to_file(&self) -> Self::File {
        Box::new(self.as_ref().to_file())
    }

    fn into_value(file: Self::File) -> Self {
        Box::new(T::into_value(*file))
    }
}

impl<T: Mirror> Mirror for Arc<T> {
    type File = T::File;

    fn to_file(&self) -> Self::File {
        self.as_ref().to_file()
    }

    fn into_value(file: Self::File) -> Self {
        Arc::new(T::into_value(file))
    }
}

impl Mirror for BTreeMap<String, String> {
    type File = Self;

    fn to_file(&self) -> Self {
        self.clone()
    }

    fn into_value(file: Self) -> Self {
        file
    }
}

/// In its own unit, exactly.
impl Mirror for Amount {
    type File = i64;

    fn to_file(&self) -> i64 {
        self.units()
    }

    fn into_value(file: i64) -> Self {
        Self::new(file)
    }
}

impl Mirror for Time {
    type File = Text<Time>;

    fn to_file(&self) -> Self::File {
        Text(*self)
    }

    fn into_value(file: Self::File) -> Self {
        file.0
    }
}

impl Serialize for Text<Time> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&write_time(self.0))
    }
}

impl Mirror for Span {
    type File = Text<Span>;

    fn to_file(&self) -> Self::File {
        Text(*self)
    }

    fn into_value(file: Self::File) -> Self {
        file.0
    }
}

impl Serialize for Text<Span> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Amounts under the full names of their resources, whatever these look like.
#[derive(Clone, Debug)]
pub(crate) struct ResourcesFile(pub(crate) Resources);

impl Mirror for Resources {
    type File = ResourcesFile;

    fn to_file(&self) -> ResourcesFile {
        ResourcesFile(self.clone())
    }

    fn into_value(file: ResourcesFile) -> Self {
        file.0
    }
}

impl Serialize for ResourcesFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_map(self.0.iter().map(|(name, amount)| (name, Unit::of(name).show(*amount))))
    }
}

impl<'de> serde::Deserialize<'de> for ResourcesFile {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = BTreeMap::<String, String>::deserialize(deserializer)?;
        let read = |(name, text): (String, String)| {
            let amount = read_amount(&name, &text).map_err(serde::de::Error::custom)?;
            Ok((name, amount))
        };
        texts.into_iter().map(read).collect::<Result<Resources, D::Error>>().map(Self)
    }
}
