import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRootKey, rootKeyFile } from '../../src/hosting/root-key.ts';
import { expectMode } from '../posix.helper.ts';

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'hosted-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

const newKey = () => new Uint8Array(randomBytes(32));
const bytes = (key: Uint8Array) => Buffer.from(key).toString('hex');

test('the root key is created once and opened again with the same server key', async () => {
  const place = rootKeyFile(await temporaryDirectory());
  const serverKey = newKey();
  const created = await openRootKey([serverKey], place);
  expect(created).toHaveLength(32);
  expect(bytes(await openRootKey([serverKey], place))).toBe(bytes(created));
});

test('processes that start at once get the same root key', async () => {
  const place = rootKeyFile(await temporaryDirectory());
  const serverKey = newKey();
  const keys = await Promise.all(Array.from({ length: 8 }, () => openRootKey([serverKey], place)));
  expect(new Set(keys.map(bytes)).size).toBe(1);
});

test('a new server key opens nothing alone, and everything once it was used beside the earlier one', async () => {
  const place = rootKeyFile(await temporaryDirectory());
  const [earlier, current] = [newKey(), newKey()];
  const created = await openRootKey([earlier], place);
  await expect(openRootKey([current], place)).rejects.toMatchObject({
    code: 'invalid_configuration',
    message: expect.stringContaining('another server key'),
  });
  expect(bytes(await openRootKey([current, earlier], place))).toBe(bytes(created));
  expect(bytes(await openRootKey([current], place))).toBe(bytes(created));
  await expect(openRootKey([earlier], place)).rejects.toThrow('another server key');
});

test('the file can be read by its owner only, has neither key in it, and nothing is left beside it', async () => {
  const directory = await temporaryDirectory();
  const serverKey = newKey();
  const created = await openRootKey([serverKey], rootKeyFile(directory));
  expect(await readdir(directory)).toEqual(['hosted.key']);
  const path = join(directory, 'hosted.key');
  await expectMode(path, 0o600);
  const stored = await readFile(path);
  for (const key of [created, serverKey]) {
    expect(stored.includes(Buffer.from(key))).toBe(false);
    expect(stored.toString('latin1')).not.toContain(Buffer.from(key).toString('base64'));
  }
});
