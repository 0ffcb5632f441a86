/** A transaction, scheduled or not, as it is served once it is deleted: its legs go with it. */
export function tombstoneOf<Leg, Row extends { subtransactions: Leg[] }>(row: Row) {
  const subtransactions = row.subtransactions.map((leg) => ({ ...leg, deleted: true }));
  return { ...row, subtransactions, deleted: true };
}
