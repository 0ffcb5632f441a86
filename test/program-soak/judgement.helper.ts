/** Compares what a person was answered about a wish with what the service has done. */
import type { Statement } from './statement.helper.ts';

export interface Attempt extends Pick<Statement, 'namesSecond' | 'text'> {
  /** `overtaken`: an earlier outcome, of which the answer says that it may not be right any more. */
  readonly outcome: Statement['outcome'] | 'overtaken';
  /** Something has made wrong what the attempts before would have been answered. */
  readonly isOvertaken: boolean;
  /** How often the service had carried out the wish when the answer came. */
  readonly doneAtAnswer: number;
  /** The same when the next equal call began, or at the end. */
  doneUntilNext: number;
  /** Every field of every row was as the wish wants it, at the service and in the answer. */
  readonly agrees: boolean;
}

/** Something that a person wants once. */
export interface Wish {
  /** The service does it again for every request. */
  readonly isRepeatable: boolean;
  readonly attempts: readonly Attempt[];
}

/**
 * `lost`: acknowledged, and not there at the end. `twiceUnreported`: there more often than once, and no answer says that it may be.
 * `claimedWrongly`: an answer says something else than what the service has. `deniedWrongly`: it was written, although all
 * calls until then say that they have not written it. `toldThoughOvertaken`: an answer gives an earlier outcome that is not right any more.
 */
export const findings = [
  'lost',
  'twiceUnreported',
  'claimedWrongly',
  'olderThanOwnWrite',
  'deniedWrongly',
  'toldThoughOvertaken',
] as const;

export type Finding = (typeof findings)[number];

/** How often each was found. */
export type Judgement = Readonly<Record<Finding, number>>;

export const NOTHING_WRONG: Judgement = {
  lost: 0,
  twiceUnreported: 0,
  claimedWrongly: 0,
  olderThanOwnWrite: 0,
  deniedWrongly: 0,
  toldThoughOvertaken: 0,
};

export function judge({ attempts, isRepeatable }: Wish): Judgement {
  const done = attempts.at(-1)?.doneUntilNext ?? 0;
  const written = attempts.filter(({ outcome }) => outcome === 'written');
  const isNamed = attempts.some(({ namesSecond }) => namesSecond);
  const other = attempts.findIndex(({ outcome }) => outcome !== 'not written');
  const denied = attempts
    .slice(0, other === -1 ? undefined : other)
    .filter(({ doneUntilNext }) => doneUntilNext > 0);
  const wrong = written.filter(({ doneAtAnswer, agrees }) => doneAtAnswer === 0 || !agrees);
  return {
    ...NOTHING_WRONG,
    lost: written.length > 0 && done === 0 ? 1 : 0,
    twiceUnreported: isRepeatable && !isNamed ? Math.max(0, done - 1) : 0,
    claimedWrongly: wrong.filter(({ isOvertaken }) => !isOvertaken).length,
    deniedWrongly: denied.length,
    toldThoughOvertaken: wrong.filter(({ isOvertaken }) => isOvertaken).length,
  };
}

export const lineOf = (counts: Judgement): string =>
  [
    `lost ${counts.lost}, twice and untold ${counts.twiceUnreported}, claimed wrongly ${counts.claimedWrongly}`,
    `older than one's own write ${counts.olderThanOwnWrite}, "not written" of what was written ${counts.deniedWrongly}`,
    `told though overtaken ${counts.toldThoughOvertaken}`,
  ].join(', ');
