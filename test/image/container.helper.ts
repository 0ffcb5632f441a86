/**
 * Runs containers of the image with runc, as Docker does: as the user of the image, with Node.js as process 1, no
 * capabilities, a root file system that cannot be written to, a new volume, and a network of its own without a way out.
 */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import type { BuiltImage } from './image.helper.ts';

export interface ContainerOptions {
  /** Instead of the default command. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Texts of files that are mounted, by their paths in the container. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Container {
  /** Runs it, with its standard input and output. */
  readonly command: readonly [string, ...string[]];
  /** Runs the program that follows in it. */
  readonly inside: readonly [string, ...string[]];
  /** Runs a program in it and returns what it writes. Rejects if that fails. */
  exec(...command: string[]): Promise<string>;
  kill(signal: string): Promise<void>;
}

const runFile = promisify(execFile);

export async function prepareContainer(
  { config, rootfs }: BuiltImage,
  { args = config.Cmd, env = {}, files = {} }: ContainerOptions = {},
): Promise<Container> {
  const directory = await temporaryDirectory();
  const [uid = 0, gid = 0] = config.User.split(':').map(Number);
  /** Without a text it is a directory that can be written to. */
  const bind = async (destination: string, text?: string) => {
    const source = join(directory, randomUUID());
    await (text === undefined ? mkdir(source, { mode: 0o700 }) : writeFile(source, text, { mode: 0o600 }));
    await chown(source, uid, gid);
    return { destination, type: 'bind', source, options: ['bind', text === undefined ? 'rw' : 'ro'] };
  };
  const spec = {
    ociVersion: '1.0.2',
    root: { path: rootfs, readonly: true },
    process: {
      user: { uid, gid },
      args: [...config.Entrypoint, ...args],
      env: [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      cwd: '/',
      noNewPrivileges: true,
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
      { destination: '/run', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
      ...(await Promise.all(Object.keys(config.Volumes).map((path) => bind(path)))),
      ...(await Promise.all(Object.entries(files).map(([path, text]) => bind(path, text)))),
    ],
    linux: { namespaces: ['pid', 'mount', 'ipc', 'uts', 'network'].map((type) => ({ type })) },
  };
  await writeFile(join(directory, 'config.json'), JSON.stringify(spec));
  const id = `budget-mcp-${randomUUID()}`;
  const runc = ['--root', join(directory, 'runc')];
  return {
    command: ['runc', ...runc, 'run', '--bundle', directory, id],
    inside: ['runc', ...runc, 'exec', id],
    exec: async (...command) => (await runFile('runc', [...runc, 'exec', id, ...command])).stdout.trim(),
    kill: async (signal) => {
      await runFile('runc', [...runc, 'kill', id, signal]);
    },
  };
}

export interface StartedContainer extends Container {
  readonly exitCode: Promise<unknown>;
  /** The address of a port of this machine, from which connections go to `port` of the container. */
  publish(port: number): Promise<string>;
}

/** Resolves when the program in it has written `text` on standard error. */
export async function startContainer(container: Container, text: string): Promise<StartedContainer> {
  const [file, ...args] = container.command;
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await container.kill('SIGKILL').catch(() => {});
    await ended;
  });
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    written += more;
  });
  while (!written.includes(text)) {
    await Promise.race([once(child.stderr, 'data'), ended]);
    if (child.exitCode !== null) throw new Error(`The container ended: ${written}`);
  }
  return {
    ...container,
    exitCode: ended.then(([code]) => code),
    publish: (port) => relayTo(container, port),
  };
}

const connectTo = (port: number) =>
  `const socket = require('net').connect(${port}, '127.0.0.1'); process.stdin.pipe(socket).pipe(process.stdout);`;

/** Each connection goes through a process in the container, because its network is not connected to this machine. */
async function relayTo({ inside: [runc, ...args] }: Container, port: number): Promise<string> {
  const server = createServer((socket) => {
    const child = spawn(runc, [...args, 'node', '-e', connectTo(port)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    socket.pipe(child.stdin).on('error', () => {});
    child.stdout.pipe(socket).on('error', () => {});
    socket.on('close', () => child.kill());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}
