/** Formats the measurements as a Markdown table. */

export interface Row {
  readonly what: string;
  readonly measured: string;
  /** The value that it is compared with, from the same run. */
  readonly beside: string;
  readonly target: string;
  readonly met: boolean;
}

export function markdown(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ what, measured, beside, target, met }) =>
      `| ${what} | ${measured} | ${beside} | ${target}${met ? '' : ' (**missed**)'} |`,
  );
  return ['| what | measured | beside | target |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

export const ms = (milliseconds: number) => `${Number(milliseconds.toPrecision(2))} ms`;

/** A number of bytes in kB or MB. */
export const size = (bytes: number) =>
  bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

export const count = (number: number) => number.toLocaleString('en');
