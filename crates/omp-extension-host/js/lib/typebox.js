/** `typebox` and `@sinclair/typebox`. */

import { Type } from "omp:lib/typebox-type";

export { Hint, Kind, KindGuard, KindGuard as TypeGuard, OptionalKind, ReadonlyKind, TransformKind, Type } from "omp:lib/typebox-type";
export default Type;

// TypeBox 1 also exports each builder by its name. Nothing in this file uses what these names hide.
export const {
  Any, Array, BigInt, Boolean, Composite, Const, Cyclic, Date, Enum, Exclude, Extract, Function, Index, Integer, Intersect, KeyOf, Literal,
  Module, Never, NonNullable, Not, Null, Number, Object, Omit, Optional, Partial, Pick, Promise, Readonly, ReadonlyOptional, Record,
  Recursive, Ref, RegExp, Required, String, Symbol, TemplateLiteral, This, Tuple, Uint8Array, Undefined, Union, Unknown, Unsafe, Void,
} = Type;
