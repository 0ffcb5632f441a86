/** Finds the tasks in their folders. */
import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Random } from '../../src/service/demo-data/random.ts';
import { subset } from './subset.ts';
import type { Task } from './task.ts';

const namesIn = (folder: string): string[] => {
  const path = join(import.meta.dirname, folder);
  return existsSync(path) ? readdirSync(path).toSorted() : [];
};

/** The names of all task folders, such as `figure-01-groceries-of-may`. */
export const taskIds = (): string[] => namesIn('tasks');

/** Of the tasks that the door hands out by their names, but that count in no run. */
export const extraIds = (): string[] => namesIn('extra');

/** Where a task is, such as `tasks/figure-01-groceries-of-may/task`. */
export const taskPath = (id: string): string => `${id.startsWith('extra-') ? 'extra' : 'tasks'}/${id}/task`;

export async function loadTask(id: string): Promise<Task> {
  // Bundled tasks are beside the bundle, and end in .mjs.
  const file = new URL(`${taskPath(id)}${extname(import.meta.url)}`, import.meta.url);
  const { task }: { readonly task: Task } = await import(file.href);
  return task;
}

/** Where a run gets its tasks from. */
export interface TaskSource {
  readonly ids: () => readonly string[];
  readonly load: (id: string) => Promise<Task>;
}

export const taskFolders: TaskSource = { ids: taskIds, load: loadTask };

/** Those whose names begin with one of the comma-separated `beginnings`, such as `write-01,figure-*`. */
export const chosenOf = (ids: readonly string[], beginnings: string): string[] => {
  const wanted =
    beginnings === 'subset' ? subset : beginnings.split(',').map((each) => each.replace('*', ''));
  return ids.filter((id) => wanted.some((beginning) => id.startsWith(beginning)));
};

/** A task by its name, or by its number in a shuffled list, which says nothing about it. Throws if there is none. */
export function taskNamed(text: string): string {
  const ids = taskIds();
  const id = [...ids, ...extraIds()].includes(text) ? text : shuffled(ids)[Number(text) - 1];
  if (id === undefined) throw new Error(`There is no task ${text}. There are ${ids.length}.`);
  return id;
}

/** The number and the name of each chosen task, in the order of the numbers. */
export function numberedTasks(beginnings: string): string[] {
  const ids = taskIds();
  const chosen = chosenOf(ids, beginnings);
  return shuffled(ids).flatMap((id, index) => (chosen.includes(id) ? [`${index + 1} ${id}`] : []));
}

const SEED = 72;

function shuffled(ids: readonly string[]): string[] {
  const random = new Random(SEED);
  return ids
    .map((id) => ({ id, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ id }) => id);
}
