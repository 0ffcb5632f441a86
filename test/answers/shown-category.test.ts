import { describe, expect, it } from 'vitest';
import { inGerman, startedWithSums } from '../altered-service.helper.ts';

const inMonth = { month: 'current' };

describe.each([
  ['Ready to Assign', {}],
  ['Inflow: Ready to Assign', {}],
  ['Ready to Assign', inGerman],
  ['Zufluss: Zu verteilen', inGerman],
])('a person who asks about %j', (name, names) => {
  it('sees what is left to assign in the month, and no sum of all time', async () => {
    const { say, toAssign } = await startedWithSums(names);
    for (const [tool, args] of [
      ['get_category', { category_id: name }],
      ['get_month_category', { ...inMonth, category_id: name }],
      ['list_categories', {}],
      ['get_month', inMonth],
    ] as const)
      expect((await say(tool, args)).text, tool).toContain(`to be assigned ${toAssign}`);
    const { text } = await say('forecast', { category: name });
    expect(text).toContain('has no forecast: check_month says what is left to assign');
  });
});

it('a resource has what is left to assign, and no amount of an internal category', async () => {
  const { host, ledger, toAssign } = await startedWithSums();
  const uri = `budget://v1/budgets/${ledger.id}/categories`;
  const [content] = (await host.readResource({ uri })).contents;
  const text = content && 'text' in content ? content.text : '';
  expect(text).toContain(`"to_be_budgeted":${Number(toAssign)}`);
  expect(text).not.toContain('1004000');
});
