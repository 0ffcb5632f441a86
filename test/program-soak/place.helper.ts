/** The programs of the soak with their state, and what can happen to them. */
import { cp, mkdir, rm } from 'node:fs/promises';
import type { Service } from '../../src/service/server.ts';
import type { Host } from '../hosts.helper.ts';

/** The write during which it happens. */
export interface Moment {
  /** The assistant that writes. */
  readonly assistant: number;
  /** With which the program asks the service. */
  readonly token: string;
}

export interface Trouble {
  /** Some seconds before. */
  prepare?(): Promise<void>;
  begin(moment: Moment): Promise<void>;
  end?(): Promise<void>;
}

/** For assistants. */
export interface Windows {
  /** How many programs an assistant can call. */
  readonly windows: number;
  /** The connection of an assistant to a program, which is started or made again if it has ended. */
  host(assistant: number, window: number): Promise<Pick<Host, 'call'>>;
  /** A call by this connection has failed without an answer of a tool. */
  failed(host: Pick<Host, 'call'>, error: Error): Promise<void>;
}

export interface Place extends Windows {
  /** By name. */
  readonly troubles: Readonly<Record<string, Trouble>>;
  close(): Promise<void>;
}

export interface PlaceOptions {
  /** Where everything is stored. */
  readonly directory: string;
  readonly service: Service;
  /** The address of the service behind the line. */
  readonly baseUrl: string;
  readonly assistants: number;
}

/** The target has what the source has, which may be nothing. */
export async function replaceDirectory(target: string, source: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(source, { recursive: true, mode: 0o700 });
  await cp(source, target, { recursive: true });
}
