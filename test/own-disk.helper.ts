/** A small file system in memory, which can be full. It is in no other program's folders than those that it starts. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export const ownMounts = ['--user', '--map-root-user', '--mount'];

/** Whether this user may mount a file system of its own, as in most containers and on most machines. */
export const canMount = spawnSync('unshare', [...ownMounts, 'true']).status === 0;

export interface OwnDisk {
  /** For other programs. */
  readonly path: string;
  /** For its own programs. */
  readonly ownPath: string;
  /** Comes before the command of an own program, which then has this process. */
  readonly command: readonly [string, ...string[]];
  fill(): void;
  free(): void;
  close(): Promise<void>;
}

export async function mountOwnDisk(megabytes: number): Promise<OwnDisk> {
  const script = `mount -t tmpfs -o size=${megabytes}m,mode=700 tmpfs /mnt && echo mounted && exec cat`;
  const holder = spawn('unshare', [...ownMounts, 'sh', '-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(holder, 'exit');
  await once(holder.stdout, 'data');
  const path = `/proc/${holder.pid}/root/mnt`;
  const filling = join(path, 'filling');
  return {
    path,
    ownPath: '/mnt',
    command: ['nsenter', '--user', '--preserve-credentials', '--mount', '--target', `${holder.pid}`],
    fill: () => fillDisk(filling),
    free: () => rmSync(filling, { force: true }),
    async close() {
      holder.stdin.end();
      await ended;
    },
  };
}

/** Makes a file until the disk is full. */
export function fillDisk(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch {
    closeSync(file);
  }
}
