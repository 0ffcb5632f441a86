/** A type of data that several answers share: nobody may change it. */
export type Immutable<T> = { readonly [Key in keyof T]: Immutable<T[Key]> };
