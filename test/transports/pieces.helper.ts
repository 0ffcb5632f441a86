/** Bytes in pieces, cut anywhere, as a pipe may deliver them. */
import fc from 'fast-check';

/** Where to cut, as fractions of the length. */
export const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

export function pieces(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = at.map((share) => Math.floor(share * bytes.length)).toSorted((a, b) => a - b);
  return [...places, bytes.length].map((end, i) => bytes.subarray(places[i - 1] ?? 0, end));
}
