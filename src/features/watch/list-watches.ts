/** Lists what is watched with a sign-in, and ends a watch. Watches are begun by the Events extension, not by tools. */
import { z } from 'zod';
import { joinParts, quoteStart, word } from '../../answers/text.ts';
import { defineTool } from '../../answers/tool.ts';
import { invalidInput } from '../../base/errors.ts';
import { flag, integer, text } from '../../base/schema/fields.ts';
import type { Watch } from '../../session/watches.ts';

const MAX_ARGUMENTS = 200;
const MAX_HOST = 80;

const output = z.object({
  watches: z.array(
    z.object({
      id: text,
      event: text,
      arguments: text,
      /** Where findings are sent. Null if the application asks for them. */
      host: text.nullable(),
      waiting: integer,
      is_paused: flag,
      checked_at: text,
      ends_at: text,
    }),
  ),
});

export const listWatches = defineTool({
  name: 'list_watches',
  title: 'List watches',
  description: 'Watches: which events are watched, such as overspending, and whether messages arrive.',
  kind: 'read',
  isAboutServer: true,
  input: z.strictObject({}),
  output,
  example: {},
  run: async (call) => {
    const { watches } = await call.watching();
    return { data: { watches: (await watches.list()).map(shown) } };
  },
  text: ({ data: { watches } }) => ({
    lines: watches.length === 0 ? [NONE] : watches.map(lineOf),
  }),
});

export const stopWatch = defineTool({
  name: 'stop_watch',
  title: 'Stop a watch',
  description: 'Ends a watch of list_watches. The budget stays as it is.',
  kind: 'read',
  isAboutServer: true,
  changesServer: true,
  input: z.strictObject({ id: text }),
  output: z.object({ stopped: text }),
  example: { id: 'sub_1' },
  async run(call, { id }) {
    const { watches } = await call.watching();
    if (!(await watches.remove(id)))
      throw invalidInput(`There is no watch ${word(id)}. list_watches shows those there are.`);
    return { data: { stopped: id } };
  },
  text: () => ({ lines: ['Stopped. It begins again only if its application asks for it again.'] }),
});

const NONE =
  'Nothing is watched. Watches end when their application does not renew them, and when the stored state is lost: then subscribe again.';

const shown = (watch: Watch) => ({
  id: watch.id,
  event: watch.event,
  arguments: JSON.stringify(watch.arguments),
  host: watch.callback ? new URL(watch.callback.url).host : null,
  waiting: watch.callback ? watch.occurrences.length : 0,
  is_paused: watch.callback?.isPaused ?? false,
  checked_at: new Date(watch.checkedAt).toISOString(),
  ends_at: new Date(watch.expiresAt).toISOString(),
});

const lineOf = ({ host, waiting, ...each }: z.output<typeof output>['watches'][number]) =>
  joinParts(
    word(each.id),
    word(each.event),
    each.arguments === '{}' ? '' : quoteStart(each.arguments, MAX_ARGUMENTS),
    host === null ? 'the application asks for it' : `sent to ${quoteStart(host, MAX_HOST)}`,
    each.is_paused && 'paused, because nothing arrived there for a day',
    waiting > 0 && `${waiting} not delivered yet`,
    `checked ${each.checked_at}`,
    `ends ${each.ends_at} unless renewed`,
  );
