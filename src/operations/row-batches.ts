/** Writes of more rows than one request takes. */

/** The largest number of rows that the service accepts. */
export const ROWS_PER_REQUEST = 1_000;

export const requestsFor = (rows: readonly unknown[]): number => Math.ceil(rows.length / ROWS_PER_REQUEST);

export const batches = <Row>(rows: readonly Row[]): Row[][] =>
  Array.from({ length: requestsFor(rows) }, (_, at) =>
    rows.slice(at * ROWS_PER_REQUEST, (at + 1) * ROWS_PER_REQUEST),
  );
