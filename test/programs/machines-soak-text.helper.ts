/** The report of a soak of several servers, for a person. */
import type { MachinesSoakReport } from './machines-soak.helper.ts';

const SHOWN_FAILURES = 20;

const at = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
const spread = (times: readonly number[]) =>
  `median ${at(times, 0.5).toFixed(0)} ms, p99 ${at(times, 0.99).toFixed(0)} ms, longest ${at(times, 1).toFixed(0)} ms`;
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);

const answersOf = ({ visitors }: MachinesSoakReport) => Object.values(visitors.answerMs).flat();

/** The time of the processor for each answer: of the servers, and of Redis. */
function cpuOf(report: MachinesSoakReport): { readonly servers: number; readonly redis: number } {
  const answers = Math.max(1, answersOf(report).length);
  const ofServers = Object.entries(report.cpuMs).filter(([name]) => name.startsWith('server '));
  return {
    servers: ofServers.reduce((sum, [, ms]) => sum + ms, 0) / answers,
    redis: (report.cpuMs['Redis'] ?? 0) / answers,
  };
}

function requestsOf({ requests, people }: MachinesSoakReport): string {
  const total = requests.reduce((sum, each) => sum + each.requests, 0);
  const most = Math.max(0, ...requests.map(({ mostInAnHour }) => mostInAnHour));
  const refused = requests.reduce((sum, each) => sum + each.refused, 0);
  return `${(total / people).toFixed(1)} for each person, at most ${most} in an hour, ${refused} refused with 429`;
}

export function linesOf(report: MachinesSoakReport, servers: string): string[] {
  const { visitors, people, seconds, redis, ends, failures } = report;
  const answers = answersOf(report);
  const cpu = cpuOf(report);
  const errors = [...visitors.errors].map(([kind, count]) => `${kind} ${count}`);
  return [
    `${people} people, servers: ${servers}, ${seconds.toFixed(0)} s: ${answers.length} answers, ${(answers.length / seconds).toFixed(1)} a second, ${visitors.writes} writes, ${visitors.repeats} repeated`,
    ...Object.entries(visitors.answerMs).map(([era, times]) => `answers in ${era}: ${spread(times)}`),
    ...(visitors.meanwhileMs.length > 0
      ? [
          `of these, ${visitors.meanwhileMs.length} while others arrived: ${spread(visitors.meanwhileMs)}`,
          `of these, ${visitors.meanwhileCachedMs.length} without a request to the service: ${spread(visitors.meanwhileCachedMs)}`,
          `the service alone meanwhile: ${spread(visitors.serviceMs)}`,
        ]
      : []),
    `first answers: ${spread(visitors.firstMs)}`,
    `sign-ins: ${spread(visitors.signInMs)}`,
    `tokens renewed ${visitors.renewals}, connections made again ${visitors.reconnections}`,
    `errors: ${errors.join(', ') || 'none'}`,
    `right answers to everything after the disturbances: ${spread(visitors.recoveryMs)}`,
    `processor for each answer: servers ${cpu.servers.toFixed(1)} ms, Redis ${cpu.redis.toFixed(1)} ms`,
    `processor, as a share of one core: ${Object.entries(report.cpuMs)
      .map(([name, ms]) => `${name} ${(ms / seconds / 10).toFixed(0)} %`)
      .join(', ')}`,
    `most resident memory: ${Object.entries(report.memory)
      .map(([name, bytes]) => `${name} ${mebibytes(bytes)} MiB`)
      .join(', ')}`,
    ...(redis
      ? [
          `Redis: ${mebibytes(redis.memory)} MiB of data, ${redis.operationsPerSecond.toFixed(0)} operations a second`,
        ]
      : []),
    `requests to the service: ${requestsOf(report)}`,
    `disturbances: ${report.disturbed.join(', ') || 'none'}`,
    `servers that ended: ${ends.map(({ exitCode }) => exitCode ?? 'killed').join(', ') || 'none'}; exit codes at the end ${report.exitCodes.join(', ')}`,
    `${failures.length} failures`,
    ...failures.slice(0, SHOWN_FAILURES),
    // Those at the end say what has become of the writes, and what stands in the logs.
    ...failures.slice(SHOWN_FAILURES).slice(-SHOWN_FAILURES),
  ];
}

export const tableHead = [
  '| people | servers | workers of each | state | answers a second | median | p99 | processor for each answer: servers | Redis | memory of a server | Redis data | requests for each person | failures |',
  '| ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
];

interface RowOptions {
  readonly servers: number;
  readonly workers: number;
  readonly store: 'redis' | 'files';
}

export function rowOf(report: MachinesSoakReport, { servers, workers, store }: RowOptions): string {
  const { people, seconds, redis, requests, failures, memory } = report;
  const answers = answersOf(report);
  const cpu = cpuOf(report);
  const ofServers = Object.entries(memory).flatMap(([name, bytes]) =>
    name.startsWith('server ') ? [bytes] : [],
  );
  const cells = [
    people,
    servers,
    workers,
    store === 'redis' ? 'Redis' : 'files',
    (answers.length / seconds).toFixed(1),
    `${at(answers, 0.5).toFixed(0)} ms`,
    `${at(answers, 0.99).toFixed(0)} ms`,
    `${cpu.servers.toFixed(1)} ms`,
    redis ? `${cpu.redis.toFixed(1)} ms` : '',
    `${mebibytes(Math.max(...ofServers))} MiB`,
    redis ? `${mebibytes(redis.memory)} MiB` : '',
    (requests.reduce((sum, each) => sum + each.requests, 0) / people).toFixed(1),
    failures.length,
  ];
  return `| ${cells.join(' | ')} |`;
}
