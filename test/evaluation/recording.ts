/** Recordings of conversations: one file for each while they run, and one for each run of an arm in `runs/`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

export const armNames = ['all', 'mirror', 'first-40', 'search', 'csv'] as const;
export const armSchema = z.enum(armNames);
export type ArmName = z.output<typeof armSchema>;

const turnSchema = z.strictObject({
  calls: z.array(
    z.strictObject({
      tool: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      /** Of the text of the answer, by the encoding o200k_base. */
      tokens: z.int(),
      isError: z.boolean(),
      /** A digest of all amounts in the answer, so that a replay notices a wrong one. */
      amounts: z.string().optional(),
    }),
  ),
  /** The model's words at the end of the turn. */
  answer: z.string(),
  /** Only in runs of 2026-11-23 and before, whose host could not ask: the person agrees, and the turn goes on. */
  asksConsent: z.literal(true).optional(),
});

const conversationSchema = z.strictObject({
  /** The folder of the task. */
  task: z.string(),
  turns: z.array(turnSchema),
  /** From the program to the service. */
  requests: z.int(),
  verdict: z.strictObject({
    /** Sentences about all that is wrong. Empty if everything is right. */
    faults: z.array(z.string()),
    /** Something is wrong, and the model neither asked nor refused: the person would rely on it. */
    isConfidentlyWrong: z.boolean(),
  }),
});

const openSchema = conversationSchema.extend({ arm: armSchema });

const runSchema = z.strictObject({
  /** When it was collected, `2026-11-23`. */
  date: z.iso.date(),
  model: z.string(),
  arm: armSchema,
  /** Counts the runs of this model and arm, from 1. */
  number: z.int().min(1),
  conversations: z.array(conversationSchema).min(1),
});

export type Verdict = Recorded['verdict'];
export type Turn = z.output<typeof turnSchema>;
export type Recorded = z.output<typeof conversationSchema>;
export type RecordedInArm = z.output<typeof openSchema>;
export type Run = z.output<typeof runSchema>;

export const RUNS = join(import.meta.dirname, 'runs');

const jsonFilesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8')));

/** The folder is made if it is missing. Throws `EEXIST` if the file exists. */
export function writeRecord(path: string, record: RecordedInArm | Run): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(record, null, 1)}\n`, { flag: 'wx' });
}

/** In the order of their names, so by date. */
export const readRuns = (folder = RUNS): Run[] =>
  existsSync(folder) ? jsonFilesIn(folder).map((content) => runSchema.parse(content)) : [];

/** Where a run of today is recorded. */
export function placeOf({ model, arm, number, runs }: RunName & { readonly arm: ArmName }) {
  const date = new Date().toISOString().slice(0, 10);
  return { date, path: join(runs, `${date}-${model.replaceAll(/\W+/g, '-')}-${arm}-${number}.json`) };
}

interface RunName extends Pick<Run, 'model' | 'number'> {
  /** The folder of recordings. */
  readonly runs: string;
}

/**
 * Makes one file in `runs` of a folder with a file for each conversation, and returns its path. Throws if a task is there
 * twice, because the first try counts, or if the conversations are of several arms.
 */
export function collect(
  folder: string,
  { model, number, runs = RUNS }: Pick<RunName, 'model' | 'number'> & Partial<RunName>,
): string {
  const found = jsonFilesIn(folder).map((content) => openSchema.parse(content));
  const arms = new Set(found.map(({ arm }) => arm));
  const [arm] = arms;
  if (arm === undefined || arms.size > 1)
    throw new Error(`Conversations of one arm are needed, not of ${arms.size}.`);
  const tasks = found.map(({ task }) => task);
  const twice = tasks.filter((task, index) => tasks.indexOf(task) !== index);
  if (twice.length > 0) throw new Error(`These tasks are there twice: ${twice.join(', ')}.`);
  const conversations = found
    .map(({ arm: _, ...conversation }) => conversation)
    .toSorted((a, b) => (a.task < b.task ? -1 : 1));
  const { date, path } = placeOf({ model, arm, number, runs });
  writeRecord(path, { date, model, arm, number, conversations });
  return path;
}
