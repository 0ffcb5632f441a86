/** Compares what hosts were told of their writes with what the ledger shows of them. */
import type { History, Mark } from './history.ts';
import type { Claim } from './host.ts';
import type { SoakWrite } from './writes.ts';

/** Something that a person wants once. A host that has given up asks for it again. */
export interface Intention {
  readonly write: SoakWrite;
  /** One for each call; the last one is what the host goes by. */
  readonly claims: Claim[];
}

export interface Verdict {
  /** Said to be written, and not there. */
  readonly lost: number;
  /** There more often than was wanted, and no answer says so. */
  readonly twiceUntold: number;
  /** The same, but an answer says that it could not be looked for. */
  readonly twiceUnchecked: number;
  /** The same, but it came after an answer that says that it may. */
  readonly twiceLater: number;
  /**
   * Said to be written and not there; or said not to be written and there, and no answer names it as a duplicate. Of two
   * equal writes one may not have been sent, and the other one have arrived twice.
   */
  readonly claimedWrongly: number;
}

export const NOTHING_WRONG: Verdict = {
  lost: 0,
  twiceUntold: 0,
  twiceUnchecked: 0,
  twiceLater: 0,
  claimedWrongly: 0,
};

type Marks = Pick<History, 'marks'>;

/** `intentions` are those of one write: several where it was wanted several times. */
export function judge(intentions: readonly Intention[], history: Marks): Verdict {
  const claims = intentions.map(({ claims }) => claims.at(-1));
  const count = (said: Claim['said']) => claims.filter((claim) => claim?.said === said).length;
  const [written, refused] = [count('written'), count('not written')];
  const times = intentions[0] ? timesDone(intentions[0].write, history) : 0;
  const lost = Math.max(0, written - times);
  const surplus = Math.max(0, times - written);
  // A host that was told nothing either way was told nothing wrong.
  if (written + refused < intentions.length) return { ...NOTHING_WRONG, lost, claimedWrongly: lost };
  // The line may deliver twice what was said to be written: that is no sign of an equal one that was refused.
  const untoldAll = Math.max(0, surplus - timesTold(intentions, history));
  const twiceLater = Math.min(untoldAll, timesLater(intentions, history));
  const untold = untoldAll - twiceLater;
  const isUnchecked = claims.some((claim) => claim?.said === 'written' && claim.isUnchecked);
  if (isUnchecked) return { lost, twiceUntold: 0, twiceUnchecked: untold, twiceLater, claimedWrongly: lost };
  const refusedAndThere = Math.min(refused, untold);
  return {
    lost,
    twiceUntold: untold - refusedAndThere,
    twiceUnchecked: 0,
    twiceLater,
    claimedWrongly: lost + refusedAndThere,
  };
}

/** How often a write was carried out as a whole. What is not repeatable counts once. */
function timesDone({ marks, isRepeatable }: SoakWrite, history: Marks): number {
  const times = Math.min(...marks.map((name) => history.marks(name).length));
  return isRepeatable ? times : Math.min(times, 1);
}

/** How often it was carried out according to the duplicates that the answers name. */
function timesTold(intentions: readonly Intention[], history: Marks): number {
  const told = new Set(
    intentions
      .flatMap(({ claims }) => claims)
      .flatMap((claim) => (claim.said === 'written' ? claim.duplicates : [])),
  );
  const marks = intentions[0]?.write.marks ?? [];
  return Math.min(...marks.map((name) => history.marks(name).filter(({ id }) => told.has(id)).length));
}

/** How often it was carried out after an answer that says that it may, without what another answer names as its own. */
function timesLater(intentions: readonly Intention[], history: Marks): number {
  const written = intentions
    .flatMap(({ claims }) => claims)
    .flatMap((claim) => (claim.said === 'written' ? claim : []));
  const since = Math.min(...written.flatMap((each) => (each.mayComeAgain ? each.knowledge : [])));
  const named = new Set(written.flatMap(({ ids, duplicates }) => [...ids, ...duplicates]));
  const isLater = ({ id, knowledge }: Mark) => knowledge > since && !named.has(id);
  const marks = intentions[0]?.write.marks ?? [];
  return Math.min(...marks.map((name) => history.marks(name).filter(isLater).length));
}

/** From which `server_knowledge` on the ledger shows a write that was said to be written; 0 where it does not. */
export function shownSince({ marks }: SoakWrite, claim: Claim, history: Marks): number {
  if (claim.said !== 'written') return 0;
  return Math.max(
    ...marks.map((name) => {
      const found = history.marks(name);
      const own = found.find(({ id }) => claim.ids.includes(id)) ?? found[0];
      return own?.knowledge ?? 0;
    }),
  );
}
