/** Compares the results that hosts got for their writes with the ledger. */
import type { History, Mark } from './history.helper.ts';
import type { Claim } from './host.helper.ts';
import type { SoakWrite } from './writes.helper.ts';

/** Something that a person wants once. A host that gave up requests it again. */
export interface Intention {
  readonly write: SoakWrite;
  /** The claim of each call. The host uses the last one. */
  readonly claims: Claim[];
}

export interface Verdict {
  /** Reported as written, but missing. */
  readonly lost: number;
  /** Carried out more often than wanted, and no result says so. */
  readonly twiceUnreported: number;
  /** The same, but a result says that the search was not possible. */
  readonly twiceUnchecked: number;
  /** The same, but it was carried out after a result that says that this may happen. */
  readonly twiceLater: number;
  /** Reported as written but missing, or with rows that the ledger never had. */
  readonly claimedWrongly: number;
  /**
   * Reported as not written but present and not named as a duplicate by any result. Of two equal writes, one may not have been
   * sent, and the other one may have been delivered twice.
   */
  readonly deniedWrongly: number;
}

export const NOTHING_WRONG: Verdict = {
  lost: 0,
  twiceUnreported: 0,
  twiceUnchecked: 0,
  twiceLater: 0,
  claimedWrongly: 0,
  deniedWrongly: 0,
};

export const findings = [
  'lost',
  'twiceUnreported',
  'twiceUnchecked',
  'twiceLater',
  'claimedWrongly',
  'deniedWrongly',
] as const;

type Marks = Pick<History, 'marks'>;

/** `intentions` are those of one write. There are several if it was wanted several times. */
export function judge(intentions: readonly Intention[], history: Marks): Verdict {
  const claims = intentions.map(({ claims }) => claims.at(-1));
  const count = (outcome: Claim['outcome']) => claims.filter((claim) => claim?.outcome === outcome).length;
  const [written, refused] = [count('written'), count('not written')];
  const differing = claims.filter((claim) => claim?.outcome === 'written' && !claim.existed).length;
  const times = intentions[0] ? timesDone(intentions[0].write, history) : 0;
  const lost = Math.max(0, written - times);
  const surplus = Math.max(0, times - written);
  // A host without a definite outcome got no wrong one.
  const certain = { ...NOTHING_WRONG, lost, claimedWrongly: lost + differing };
  if (written + refused < intentions.length) return certain;
  // The network may deliver a write with a reported outcome twice. This does not prove that a refused equal one happened.
  const allUnreported = Math.max(0, surplus - timesReported(intentions, history));
  const twiceLater = Math.min(allUnreported, timesLater(intentions, history));
  const unreported = allUnreported - twiceLater;
  const isUnchecked = claims.some((claim) => claim?.outcome === 'written' && claim.isUnchecked);
  if (isUnchecked) return { ...certain, twiceUnchecked: unreported, twiceLater };
  const refusedAndThere = Math.min(refused, unreported);
  return {
    ...certain,
    twiceUnreported: unreported - refusedAndThere,
    twiceLater,
    deniedWrongly: refusedAndThere,
  };
}

/** How often a write was carried out completely. A write that is not repeatable counts once. */
function timesDone({ marks, isRepeatable }: SoakWrite, history: Marks): number {
  const times = Math.min(...marks.map((name) => history.marks(name).length));
  return isRepeatable ? times : Math.min(times, 1);
}

/** How often it was carried out according to the possible duplicates in the results. */
function timesReported(intentions: readonly Intention[], history: Marks): number {
  const reported = new Set(
    intentions
      .flatMap(({ claims }) => claims)
      .flatMap((claim) => (claim.outcome === 'written' ? claim.duplicates : [])),
  );
  const marks = intentions[0]?.write.marks ?? [];
  return Math.min(...marks.map((name) => history.marks(name).filter(({ id }) => reported.has(id)).length));
}

/** How often it was carried out after a result that says that it may, without those that another result names as its own. */
function timesLater(intentions: readonly Intention[], history: Marks): number {
  const written = intentions
    .flatMap(({ claims }) => claims)
    .flatMap((claim) => (claim.outcome === 'written' ? claim : []));
  const since = Math.min(...written.flatMap((each) => (each.mayComeAgain ? each.knowledge : [])));
  const named = new Set(written.flatMap(({ ids, duplicates }) => [...ids, ...duplicates]));
  const isLater = ({ id, knowledge }: Mark) => knowledge > since && !named.has(id);
  const marks = intentions[0]?.write.marks ?? [];
  return Math.min(...marks.map((name) => history.marks(name).filter(isLater).length));
}

/** The first `server_knowledge` of the ledger that contains a write reported as written. 0 if none does. */
export function shownSince({ marks }: SoakWrite, claim: Claim, history: Marks): number {
  if (claim.outcome !== 'written') return 0;
  return Math.max(
    ...marks.map((name) => {
      const found = history.marks(name);
      const own = found.find(({ id }) => claim.ids.includes(id)) ?? found[0];
      return own?.knowledge ?? 0;
    }),
  );
}
