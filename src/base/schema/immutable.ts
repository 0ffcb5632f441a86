/** The type of data that several answers share, so that no code may change it. */
export type Immutable<T> = { readonly [Key in keyof T]: Immutable<T[Key]> };
