/**
 * A transaction or scheduled transaction in the form in which it is returned after its deletion. Its legs are
 * deleted too.
 */
export function tombstoneOf<Leg, Row extends { subtransactions: Leg[] }>(row: Row) {
  const subtransactions = row.subtransactions.map((leg) => ({ ...leg, deleted: true }));
  return { ...row, subtransactions, deleted: true };
}
