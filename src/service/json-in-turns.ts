/** JSON of large answers. */
import { yieldTurn } from '../base/clock.ts';

/** So many rows take less than a millisecond, and so many months with their categories some more. */
const ROWS_IN_TURN = 100;

/** The text of `JSON.stringify`, made in turns between which other requests are answered. The value must not change meanwhile. */
export async function jsonInTurns(value: unknown): Promise<string> {
  if (Array.isArray(value)) {
    const parts: string[] = [];
    for (let at = 0; at < value.length; at += ROWS_IN_TURN) {
      await yieldTurn();
      parts.push(JSON.stringify(value.slice(at, at + ROWS_IN_TURN)).slice(1, -1));
    }
    return `[${parts.join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields: string[] = [];
  for (const [name, field] of Object.entries(value))
    if (field !== undefined) fields.push(`${JSON.stringify(name)}:${await jsonInTurns(field)}`);
  return `{${fields.join(',')}}`;
}
