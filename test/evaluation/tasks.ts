/** Finds the tasks in their folders. */
import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Random } from '../../src/service/demo-data/random.ts';
import type { Task } from './task.ts';

const FOLDER = join(import.meta.dirname, 'tasks');

/** The names of all task folders, such as `figure-01-groceries-of-may`. */
export const taskIds = (): string[] => (existsSync(FOLDER) ? readdirSync(FOLDER).toSorted() : []);

export async function loadTask(id: string): Promise<Task> {
  // Bundled tasks are beside the bundle, and end in .mjs.
  const file = new URL(`tasks/${id}/task${extname(import.meta.url)}`, import.meta.url);
  const { task }: { readonly task: Task } = await import(file.href);
  return task;
}

/** The tasks whose names fit one of the patterns: `write-01` for a beginning, `figure-*`. */
export const chosenTasks = (patterns: readonly string[]): string[] =>
  taskIds().filter((id) => patterns.some((pattern) => id.startsWith(pattern.replace(/\*$/, ''))));

/** A task by its name, or by its number in a shuffled list, which says nothing about it. Throws if there is none. */
export function taskNamed(text: string): string {
  const ids = taskIds();
  const id = ids.includes(text) ? text : shuffled(ids)[Number(text) - 1];
  if (id === undefined) throw new Error(`There is no task ${text}. There are ${ids.length}.`);
  return id;
}

const SEED = 72;

function shuffled(ids: readonly string[]): string[] {
  const random = new Random(SEED);
  return ids
    .map((id) => ({ id, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ id }) => id);
}
