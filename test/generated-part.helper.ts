/** A document with parts that `npm run generate` writes. */

/** `text` with `made` in the place that is marked for the part `name`. */
export function withPart(text: string, name: string, made: string): string {
  const [start, end] = [`<!-- ${name}: made by \`npm run generate\` -->`, `<!-- /${name} -->`];
  const [before] = text.split(start);
  const [, after] = text.split(end);
  return `${before}${start}\n\n${made}\n\n${end}${after}`;
}
