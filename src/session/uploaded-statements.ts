/**
 * Files of banks that a person has chosen in a view. They arrive in parts, and are kept for an hour in the store of the sign-in for
 * the caller that has sent them. It knows no formats.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ageOf, type Clock, momentOf, recordedMoment } from '../base/clock.ts';
import { invalidInput } from '../base/errors.ts';
import { storedMoment } from '../base/schema/stored-moment.ts';
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';

export interface StatementFile {
  /** If it is in a folder, its path below that. */
  readonly name: string;
  /** If it was chosen in a view. */
  readonly upload?: string;
  /** Another one when the content is another. Throws `invalid_input` if the file cannot be read. */
  version(): Promise<string>;
  /** Throws `invalid_input` if it cannot be read. */
  read(): Promise<Uint8Array>;
}

/** Reading more at once would make all other people wait. */
export const MAX_UPLOAD_BYTES = 4 * 2 ** 20;
/** For all files of a caller. The oldest make room. */
const MAX_BYTES = 3 * MAX_UPLOAD_BYTES;
const MAX_FILES = 20;
/** From the first part on. */
const KEPT_MS = 60 * 60_000;

const upload = z.object({
  id: z.string(),
  caller: z.string(),
  name: z.string(),
  size: z.int(),
  /** In bytes. The file is complete when it is the size. */
  received: z.int(),
  /** When its first part arrived. */
  at: storedMoment,
});

export type Upload = z.output<typeof upload>;

const uploads = z.array(upload);

export interface UploadedPart {
  /** That of the answer to the first part. */
  readonly id?: string | undefined;
  readonly name: string;
  /** Of the whole file, in bytes. */
  readonly size: number;
  /** The number of bytes before this part. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/**
 * Takes room for so many bytes, at most `maxBytes`, for so long. Returns for how many there is room: the other sign-ins of the person
 * may have taken some.
 */
export type TakeRoom = (wanted: {
  readonly bytes: number;
  readonly maxBytes: number;
  readonly keptMs: number;
}) => Promise<number>;

/** `november.csv`, or `november (2).csv` if that name is taken. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let free = name;
  for (let number = 2; taken.has(free.normalize()); number += 1) free = `${stem} (${number})${ending}`;
  return free;
}

const logOf = (id: string) => `statement ${id}`;

export class UploadedStatements {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #takeRoom: TakeRoom;
  /** The oldest comes first. */
  readonly #record: SharedRecord<typeof uploads>;
  /** Files begin one after the other, so that room is not taken twice. */
  #beginning: Promise<unknown> = Promise.resolve();

  constructor(store: SharedStore, clock: Clock, takeRoom: TakeRoom = async ({ bytes }) => bytes) {
    this.#store = store;
    this.#clock = clock;
    this.#takeRoom = takeRoom;
    this.#record = new SharedRecord(store, 'statements', uploads, []);
  }

  /** Those of one caller, and the files of a folder. A file that was chosen has no name that one of the folder has. */
  of(caller: string, filesOfFolder: () => Promise<readonly StatementFile[]>) {
    return {
      caller,
      files: async (): Promise<readonly StatementFile[]> => {
        const inFolder = await filesOfFolder();
        const names = new Set(inFolder.map(({ name }) => name.normalize()));
        const chosen = (await this.#files(caller)).map((file) => ({
          ...file,
          name: freeName(file.name, names),
        }));
        return [...chosen, ...inFolder];
      },
      add: (part: UploadedPart) => this.#add(caller, part),
      remove: ({ id }: Upload) => this.#remove(new Set([id])),
    };
  }

  /** A part that has arrived before changes nothing. Throws `invalid_input` if one before it is missing, or if there is no room. */
  async #add(caller: string, part: UploadedPart): Promise<Upload> {
    const { id, size, bytes } = part;
    if (size > MAX_UPLOAD_BYTES)
      throw invalidInput(`The file is larger than ${MAX_UPLOAD_BYTES / 2 ** 20} MB. Export a shorter time.`);
    if (bytes.length === 0 && size > 0) throw invalidInput('A part of the file is empty.');
    if (id !== undefined) return this.#addPart(caller, part);
    const begun = this.#beginning.then(async () => {
      await this.#makeRoom(caller, size);
      return this.#addPart(caller, part);
    });
    this.#beginning = begun.catch(() => {});
    return begun;
  }

  async #addPart(caller: string, { id, name, size, at, bytes }: UploadedPart): Promise<Upload> {
    const now = momentOf(this.#clock);
    const begun = { id: randomUUID(), caller, name, size, received: 0, at: now };
    const end = at + bytes.length;
    const added = await this.#record.update<Upload | undefined>((all) => {
      const before = id === undefined ? begun : all.find((each) => each.id === id && each.caller === caller);
      if (!before || end > before.size || at > before.received || size !== before.size)
        return { value: all, result: undefined };
      if (end <= before.received && id !== undefined) return { value: all, result: before };
      const keptMs = KEPT_MS - ageOf(this.#clock, recordedMoment(before.at, now));
      if (at < before.received || keptMs <= 0) return { value: all, result: undefined };
      const after = { ...before, received: end };
      return {
        value: id === undefined ? [...all, after] : all.map((each) => (each.id === id ? after : each)),
        result: after,
        entries: [{ log: logOf(after.id), value: Buffer.from(bytes).toString('base64'), keptMs }],
      };
    });
    if (added) return added;
    throw invalidInput('A part of the file is missing. Choose the file again.');
  }

  /** Removes the oldest files of a caller that leave no room for a new one. Throws `invalid_input` if others leave none. */
  async #makeRoom(caller: string, size: number): Promise<void> {
    await this.#remove(await this.#old(caller, size));
    const kept = (await this.#record.read()).reduce((sum, each) => sum + each.size, 0);
    const room = await this.#takeRoom({ bytes: kept + size, maxBytes: MAX_BYTES, keptMs: KEPT_MS });
    if (size > room)
      throw invalidInput(
        'Files that were chosen with other assistants leave no room. They are removed an hour after that.',
      );
    await this.#remove(await this.#old(caller, size, room));
  }

  /** The complete files of a caller. Of several with one name, the last one. What is older than an hour is removed. */
  async #files(caller: string): Promise<readonly StatementFile[]> {
    await this.#remove(await this.#old());
    const all = await this.#record.read();
    const complete = all.filter((each) => each.caller === caller && each.received === each.size);
    const newest = new Map(complete.map((each) => [each.name.normalize(), each]));
    return [...newest.values()].map((each) => ({
      name: each.name,
      upload: each.id,
      version: async () => each.id,
      read: () => this.#read(each),
    }));
  }

  /** Throws `invalid_input` if it has been removed. */
  async #read({ id, size }: Upload): Promise<Uint8Array> {
    const parts: Buffer[] = [];
    for await (const { value } of this.#store.entries(logOf(id)))
      parts.push(Buffer.from(z.string().parse(value), 'base64'));
    const bytes = Buffer.concat(parts);
    if (bytes.length === size) return bytes;
    throw invalidInput('The file is not kept any more. Choose it again.');
  }

  /** Those whose hour is over, and the oldest ones of a caller that leave no room for a new one of so many bytes. */
  async #old(caller?: string, size = 0, room = MAX_BYTES): Promise<ReadonlySet<string>> {
    const now = momentOf(this.#clock);
    let bytes = size;
    let count = 1;
    const old = (await this.#record.read()).toReversed().filter((each) => {
      if (ageOf(this.#clock, recordedMoment(each.at, now)) >= KEPT_MS) return true;
      if (each.caller !== caller) return false;
      bytes += each.size;
      count += 1;
      return bytes > room || count > MAX_FILES;
    });
    return new Set(old.map(({ id }) => id));
  }

  /** Its content first, so that none is left without an entry in the record. */
  async #remove(ids: ReadonlySet<string>): Promise<void> {
    if (ids.size === 0) return;
    for (const id of ids) await this.#store.trim(logOf(id));
    await this.#record.update((all) => ({ value: all.filter(({ id }) => !ids.has(id)), result: undefined }));
  }
}
