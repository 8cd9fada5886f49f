/** A JSON value without parts. */
export type JsonPrimitive = string | number | boolean | null
/** Anything that JSON can hold. */
export type JsonValue = JsonPrimitive | readonly JsonValue[] | { readonly [key: string]: JsonValue }
/** A JSON map. */
export type JsonObject = { readonly [key: string]: JsonValue }
/** A JSON Schema document. Passed through as it is. */
export type JsonSchema = { readonly [key: string]: unknown }
