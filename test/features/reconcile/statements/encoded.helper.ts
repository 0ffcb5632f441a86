/** Text in the encodings of banks. Node.js can only read most of them, so that each character is looked up in what its bytes mean. */

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

const MULTIBYTE = /^(shift_jis|gb18030|euc-kr)$/;

function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(encoding);
  if (known) return known;
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, readonly number[]>();
  const add = (...bytes: readonly number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, bytes);
  };
  for (let first = 0; first < 256; first += 1) add(first);
  if (MULTIBYTE.test(encoding))
    for (let first = 0x81; first < 0xff; first += 1)
      for (let second = 0x40; second < 0xff; second += 1) add(first, second);
  // Some versions of Node.js read this byte as a control character.
  if (encoding === 'windows-1252') table.set('€', [0x80]);
  tables.set(encoding, table);
  return table;
}

/** Throws for a character that the encoding lacks. */
export function encoded(text: string, encoding: string): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-8 with a mark') return Buffer.from(`\ufeff${text}`);
  if (encoding.startsWith('utf-16')) {
    const marked = encoding.endsWith('with a mark') ? `\ufeff${text}` : text;
    const bytes = Buffer.from(marked, 'utf16le');
    return encoding.startsWith('utf-16be') ? bytes.swap16() : bytes;
  }
  const table = tableOf(encoding);
  return Uint8Array.from(
    [...text].flatMap((character) => {
      const bytes = table.get(character);
      if (!bytes) throw new RangeError(`${encoding} has no ${character}.`);
      return bytes;
    }),
  );
}
