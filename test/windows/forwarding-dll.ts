/** Writes a DLL for Windows without code, whose one export leads to another DLL: the bcryptprimitives.dll that Wine 8 lacks. */
import { writeFileSync } from 'node:fs';

/** Where the one section begins in memory, and in the file. */
const ADDRESS = 0x1000;
const OFFSET = 0x200;

const align = (length: number, to: number) => Math.ceil(length / to) * to;

function exportsOf(dll: string, name: string, target: string): Buffer {
  const parts: Buffer[] = [Buffer.alloc(40)];
  const put = (part: Buffer): number => {
    const at = parts.reduce((sum, { length }) => sum + length, 0);
    parts.push(Buffer.concat([part, Buffer.alloc(align(part.length, 4) - part.length)]));
    return ADDRESS + at;
  };
  const text = (value: string) => put(Buffer.from(`${value}\0`));
  const word = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const [dllName, exportName, forward] = [text(dll), text(name), text(target)];
  const [functions, names, ordinals] = [put(word(forward)), put(word(exportName)), put(Buffer.alloc(4))];
  const [directory = Buffer.alloc(0)] = parts;
  [dllName, 1, 1, 1, functions, names, ordinals].forEach((value, nth) => {
    directory.writeUInt32LE(value, 12 + 4 * nth);
  });
  return Buffer.concat(parts);
}

/** A PE32+ image of one section (the PE format of Microsoft). */
function imageOf(section: Buffer): Buffer {
  const head = Buffer.alloc(OFFSET);
  head.write('MZ');
  head.writeUInt32LE(64, 60);
  head.write('PE\0\0', 64);
  // x64, one section, an optional header of 240 bytes, and the flags of a DLL.
  head.writeUInt16LE(0x8664, 68);
  head.writeUInt16LE(1, 70);
  head.writeUInt16LE(240, 84);
  head.writeUInt16LE(0x2022, 86);
  const optional = 88;
  head.writeUInt16LE(0x20b, optional);
  head.writeUInt32LE(OFFSET, optional + 8);
  head.writeBigUInt64LE(0x180000000n, optional + 24);
  const sizes: readonly (readonly [at: number, value: number])[] = [
    [32, ADDRESS],
    [36, OFFSET],
    [40, 6],
    [48, 6],
    [56, 2 * ADDRESS],
    [60, OFFSET],
    [108, 16],
    [112, ADDRESS],
    [116, section.length],
  ];
  for (const [at, value] of sizes) head.writeUInt32LE(value, optional + at);
  // The console, and an address that may be chosen.
  head.writeUInt16LE(3, optional + 68);
  head.writeUInt16LE(0x0100, optional + 70);
  for (const at of [72, 80, 88, 96])
    head.writeBigUInt64LE(at === 72 || at === 88 ? 0x100000n : 0x1000n, optional + at);
  const table = optional + 240;
  head.write('.edata', table);
  for (const [at, value] of [
    [8, section.length],
    [12, ADDRESS],
    [16, OFFSET],
    [20, OFFSET],
    [36, 0x40000040],
  ] as const)
    head.writeUInt32LE(value, table + at);
  return Buffer.concat([head, section, Buffer.alloc(OFFSET - section.length)]);
}

const [, , path = ''] = process.argv;
writeFileSync(path, imageOf(exportsOf('bcryptprimitives.dll', 'ProcessPrng', 'advapi32.SystemFunction036')));
