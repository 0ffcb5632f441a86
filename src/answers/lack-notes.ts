/** Says what an answer rests on that the service did not send, or that cannot be read. */
import { groupBy } from '../base/group-by.ts';
import { type Gap, isMissingList } from '../base/schema/gap.ts';
import type { Lacks, UnknownThing } from '../model/replica/lacks.ts';
import { sumOf } from '../model/sums/sum.ts';
import { counted, firstOf, joinWords, quoteStart, word } from './text.ts';

/** So many are named in each sentence. The others are counted. */
const MAX_NAMED = 3;
const MAX_NAME = 60;

/** One sentence for each way in which something is missing. */
export function lackNotes(lacks: readonly Lacks[]): string[] {
  const gaps = new Map(lacks.flatMap((each) => each.gaps).map((each) => [JSON.stringify(each), each]));
  const of = (isWanted: (gap: Gap) => boolean) => [...gaps.values()].filter(isWanted);
  return [
    ...sentence(
      'The service did not send',
      of(isMissingList).map(listOf),
      ', so that what depends on it is missing',
    ),
    ...sentence(
      'Left out, since the service sent it in a form that cannot be read:',
      of((gap) => gap.left_out && !isMissingList(gap)).map(thingOf),
    ),
    ...sentence(
      'Not known, since the service sent it in a form that cannot be read:',
      of((gap) => !gap.left_out).map(thingOf),
    ),
    ...unknownNotes(lacks.flatMap((each) => each.unknown)),
  ];
}

const sentence = (begin: string, things: readonly string[], end = '') =>
  things.length > 0 ? [`${begin} ${firstOf(things, MAX_NAMED).join('; ')}${end}.`] : [];

const kindOf = (kind: string) => word(kind).replaceAll('_', ' ').replace('subtransaction', 'leg');

const listOf = ({ kind, of }: Gap) =>
  joinWords(`its list of ${kindOf(kind)} rows`, of !== null && `in ${word(of)}`);

/** Such as `balance (taken as 0) of account "Checking"` or `amount of transaction 1f3a5c of 2026-11-03`. */
function thingOf({ kind, id, of, name, date, fields }: Gap): string {
  const taken = Object.entries(fields).map(([field, value]) =>
    joinWords(word(field), value !== null && `(taken as ${word(String(value))})`),
  );
  return joinWords(
    `${taken.join(', ')} of ${kindOf(kind)}`,
    name !== null && quoteStart(name, MAX_NAME),
    name === null && id !== null && word(id),
    date !== null && `of ${word(date)}`,
    of !== null && `in ${word(of)}`,
  );
}

/** A leg without its transaction is in no sum, since its account and day are not known. */
function unknownNotes(unknown: readonly UnknownThing[]): string[] {
  if (unknown.length === 0) return [];
  const groups = [...groupBy(unknown, ({ name }) => name)].map(([name, things]) => ({
    isTransaction: name.endsWith('transaction'),
    text: `${counted(
      sumOf(things, ({ lines }) => lines),
      'line',
    )} of an ${name}`,
  }));
  const of = (areTransactions: boolean) =>
    groups.filter(({ isTransaction }) => isTransaction === areTransactions).map(({ text }) => text);
  return [
    'The service did not send all that it refers to.',
    ...sentence('Counted all the same:', of(false)),
    ...sentence('Left out:', of(true)),
  ];
}
