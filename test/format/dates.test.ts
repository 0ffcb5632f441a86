/** `today` and `yesterday` stand for dates in every argument that is a date. */
import { expect, it } from 'vitest';
import { dateWordsAt, resolveDates } from '../../src/format/dates.ts';
import { schemasOf } from '../../src/mcp/tool-schemas.ts';
import { catalogue } from '../../src/tools/catalogue.ts';

const words = dateWordsAt(Date.parse('2026-11-22T23:30:00Z'), 'Europe/Berlin');

it('today and yesterday are days in the time zone of the user', () => {
  expect([words('today'), words('yesterday')]).toEqual(['2026-11-23', '2026-11-22']);
});

const lists = catalogue.filter(({ input }) => 'since_date' in input.shape);

it.each(lists.map((tool) => [tool.name, tool] as const))(
  '%s takes today and yesterday as the first and the last day',
  (_, tool) => {
    const targets = { account_id: 'a', category_id: 'c', payee_id: 'p', month: '2026-11' };
    const others = Object.fromEntries(Object.entries(targets).filter(([name]) => name in tool.input.shape));
    const { own } = schemasOf(tool).parse({ ...others, since_date: 'yesterday', until_date: 'today' });
    expect(resolveDates(tool.input, own, words)).toMatchObject({
      since_date: '2026-11-22',
      until_date: '2026-11-23',
    });
  },
);
