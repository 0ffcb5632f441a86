/** The lines that a change of a file removes and adds, for a person who has to agree to it. */
import { linesOf } from './text-edits.ts';

const MAX_CHARACTERS = 160;

export function previewOf(before: string, after: string): string {
  const [old, made] = [linesOf(before), linesOf(after)];
  let same = 0;
  while (same < Math.min(old.length, made.length) && old[same] === made[same]) same += 1;
  let end = 0;
  while (
    end < Math.min(old.length, made.length) - same &&
    old[old.length - 1 - end] === made[made.length - 1 - end]
  )
    end += 1;
  const removed = old.slice(same, old.length - end).map((line) => `- ${shown(line)}\n`);
  const added = made.slice(same, made.length - end).map((line) => `+ ${shown(line)}\n`);
  return `@@ line ${same + 1} @@\n${[...removed, ...added].join('')}`;
}

/** The entry of this server may carry a token that a person has written there. */
const SECRET = /((?:token|secret|password|key)["']?\s*[:=]\s*["']?|bearer (?![{$]))[^"',}\s]+/gi;

/** Signs that would move the cursor, or change the direction of a text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A line may be the whole of a file, with what other servers keep in it. */
function shown(line: string): string {
  const text = line
    .replace(/[\r\n]+$/, '')
    .replaceAll('\t', '  ')
    .replaceAll(INVISIBLE, '?');
  const masked = text.replaceAll(SECRET, '$1…');
  return masked.length > MAX_CHARACTERS ? `${masked.slice(0, 40)}… (a line of ${text.length} signs)` : masked;
}
