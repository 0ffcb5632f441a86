/**
 * The text of a file, by its byte order mark, which is left out: UTF-16 as `>` of Windows PowerShell writes it, else UTF-8. With
 * `isStrict`, it throws for bytes that are no text in that encoding.
 */
export function decodedText(bytes: Uint8Array, isStrict = false): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: isStrict }).decode(bytes);
}
