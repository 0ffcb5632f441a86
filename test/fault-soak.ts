/**
 * `npm run soak -- faults [seconds] [seed] [parts] [troubles]`: writes and reads while everything goes wrong, and what is lost,
 * doubled or misreported. The parts share the seconds, by default 300, and are separated by commas: `line` is a client on a
 * line that spoils exchanges, in simulated time, `programs` are whole programs with their state in files, and `servers` hosted
 * servers with Redis. `troubles` are some of those of the last two parts, by default all (see `StdioPlace` and `HostedPlace`).
 *
 * `npm run soak -- kills [number] [seed]` kills programs and servers so often, each in the middle of a write, by default 200 times.
 *
 * Exit code 1 if anything was found, or nothing could be written.
 */
import { z } from 'zod';
import { DEFAULT_INTERFACE_VERSION } from '../src/service/interface-version.ts';
import { runFaultSoak, type SoakReport } from './fault-soak/soak.helper.ts';
import { findings, type Judgement, lineOf, NOTHING_WRONG } from './program-soak/judgement.helper.ts';
import { type ProgramSoakReport, places, runProgramSoak } from './program-soak/soak.helper.ts';

const [, , kind, givenAmount, givenSeed = '20261121', givenParts = `line,${places}`, givenTroubles] =
  process.argv;
const onlyKills = kind === 'kills';
const parts = onlyKills ? places : z.array(z.enum(['line', ...places])).parse(givenParts.split(','));
const troubles = onlyKills ? ['kill'] : givenTroubles?.split(',');
const seed = Number(givenSeed);
/** Seconds, or kills. */
const ofEachPart = Number(givenAmount ?? (onlyKills ? 200 : 300)) / parts.length;

const total: Record<keyof Judgement, number> = { ...NOTHING_WRONG };

for (const part of parts) {
  if (part === 'line') await onTheLine();
  else {
    const limit = onlyKills ? { rounds: ofEachPart } : { seconds: ofEachPart };
    const report = await runProgramSoak({ seed, where: part, ...limit, ...(troubles && { troubles }) });
    // Programs that do not start would do nothing wrong.
    if (!report.counts['written']) process.exitCode = 1;
    add(`${part}, seed ${seed}`, report.found, [...report.examples, ...countsOf(report)]);
  }
}
write([`all: ${lineOf(total)}`]);

/** Runs with one seed after the other, at least one. */
async function onTheLine(): Promise<void> {
  const until = performance.now() + ofEachPart * 1_000;
  for (let each = seed; each === seed || performance.now() < until; each += 1) {
    const version = each % 4 === 0 ? '1.77' : DEFAULT_INTERFACE_VERSION;
    const report = await runFaultSoak({ seed: each, writes: 100, reads: 250, withFaults: true, version });
    if (report.neverExisted > 0) process.exitCode = 1;
    add(`line, seed ${each}, interface ${version}`, { ...NOTHING_WRONG, ...report }, [
      ...report.examples,
      ...linesOf(report),
    ]);
  }
}

function add(name: string, found: Judgement, details: readonly string[]): void {
  for (const each of findings) total[each] += found[each];
  if (findings.some((each) => found[each] > 0)) process.exitCode = 1;
  write([...details, `${name}: ${lineOf(found)}`, '']);
}

function write(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

function listOf(counts: Iterable<readonly [string, number]>): string {
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ');
}

function countsOf({ counts, troubles }: ProgramSoakReport): string[] {
  return [`counts: ${listOf(Object.entries(counts))}`, `troubles: ${listOf(Object.entries(troubles))}`];
}

function linesOf(report: SoakReport): string[] {
  const { claims } = report;
  return [
    `reads of a state that the ledger never had ${report.neverExisted}`,
    `twice, where the answer says that it could not look ${report.twiceUnchecked}`,
    `twice, where the second delivery came after an answer that says that it may ${report.twiceLater}`,
    `${report.writes} writes: ${claims.written} reported as written, ${claims['not written']} as not written, ${claims.unknown} as unknown`,
    `${report.reads} reads compared; ${report.markedStale} marked as stale, ${report.unanswered} without an answer`,
    `refused for the hour's requests: ${report.writesRefusedForQuota} writes, ${report.readsRefusedForQuota} reads`,
    `faults in ${(report.simulatedMs / 3_600_000).toFixed(1)} h of simulated time: ${listOf([...report.faults].filter(([name]) => name !== 'none'))}`,
  ];
}
