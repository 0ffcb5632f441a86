/** `npm run soak -- faults [seed] [writes] [reads]`: exit code 1 if anything was lost, reported wrongly or too old. */
import { runFaultSoak, type SoakReport } from './fault-soak/soak.helper.ts';

const [seed = 20_261_121, writes = 2_000, reads = 5_000] = process.argv.slice(3).map(Number);

const startedAt = performance.now();
const report = await runFaultSoak({ seed, writes, reads, withFaults: true });
const seconds = Math.round((performance.now() - startedAt) / 1_000);

process.stdout.write(`${[...report.examples, ...linesOf(report)].join('\n')}\n`);
const { lost, twiceUnreported, claimedWrongly, olderThanOwnWrite, neverExisted } = report;
process.exitCode = lost + twiceUnreported + claimedWrongly + olderThanOwnWrite + neverExisted > 0 ? 1 : 0;

function linesOf(report: SoakReport): string[] {
  const { claims, faults } = report;
  const kinds = [...faults].filter(([name]) => name !== 'none').toSorted(([, a], [, b]) => b - a);
  return [
    `lost ${report.lost}, twice and not reported ${report.twiceUnreported}, claimed wrongly ${report.claimedWrongly}, older than one's own write ${report.olderThanOwnWrite}`,
    `reads of a state that the ledger never had ${report.neverExisted}`,
    `twice, where the answer says that it could not look ${report.twiceUnchecked}`,
    `twice, where the second delivery came after an answer that says that it may ${report.twiceLater}`,
    `${report.writes} writes: ${claims.written} reported as written, ${claims['not written']} as not written, ${claims.unknown} as unknown`,
    `${report.reads} reads compared; ${report.markedStale} marked as stale, ${report.unanswered} without an answer`,
    `refused for the hour's requests: ${report.writesRefusedForQuota} writes, ${report.readsRefusedForQuota} reads`,
    `faults: ${kinds.map(([name, count]) => `${name} ${count}`).join(', ')}`,
    `seed ${seed}, ${seconds} s for ${(report.simulatedMs / 3_600_000).toFixed(1)} h of simulated time`,
  ];
}
