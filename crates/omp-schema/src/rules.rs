//! What a target wants of the walk. The targets themselves are in [`super::targets`] and [`super::strict`].

/// What a target accepts, and what becomes of the rest.
pub(super) struct Rules {
    pub(super) keeps: fn(&str) -> bool,
    pub(super) leftovers: Leftovers,
    pub(super) nulls: Nulls,
    pub(super) all_of: AllOf,
    pub(super) one_of: OneOf,
    pub(super) unions: Unions,
    pub(super) types: Types,
    pub(super) arrays: Arrays,
    pub(super) literals: Literals,
}

/// Keywords the target does not take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leftovers {
    Drop,
    /// Those worth saying go into the description as a block.
    Spill,
    /// Only the default is mentioned in the description.
    MentionDefault,
}

/// "Or null".
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    AsWritten,
    /// `type: [T, "null"]` wherever it can be.
    TypeList,
    /// `nullable: true` on the node.
    Keyword,
    /// Not sayable: the property is simply not required.
    Optional,
}

impl Nulls {
    /// Whether the walk marks nodes that accept null instead of keeping a null type.
    pub(super) fn are_marked(self) -> bool {
        matches!(self, Self::Keyword | Self::Optional)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AllOf {
    AsWritten,
    UnwrapSingle,
    Absorb,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OneOf {
    AsWritten,
    AsAnyOf,
}

/// `anyOf`, and whatever has become one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unions {
    AsWritten,
    /// Unions directly inside unions are lifted out.
    Flatten,
    /// Branches of one type become one schema.
    Merge,
    /// Mixed branches become one schema too: the first type wins.
    MergeToFirstType,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    AsWritten,
    /// Missing types are inferred where possible, lists of types become unions.
    Single,
    /// As `Single`, and every node ends up complete: a type, the `properties` of an object.
    Complete,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrays {
    AsWritten,
    /// An array always says what it holds, if only that it may be anything.
    WithItems,
}

/// `const` and `enum`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Literals {
    AsWritten,
    Enum,
    /// Only enumerations of non-empty strings; others are leftovers.
    StringEnum,
}
