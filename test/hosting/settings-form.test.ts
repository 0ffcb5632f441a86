import { describe, expect, it } from 'vitest';
import { type SettingsChoices, settingsFields } from '../../src/hosting/settings-form.ts';
import { forbidden } from '../hostile-texts.helper.ts';

const home = { id: '3f2a1b4c-0000-4000-8000-000000000001', name: 'Household' };
const trip = { id: '9d8e7f6a-0000-4000-8000-000000000002', name: 'Japan Trip' };

const rendered = async (choices: Partial<SettingsChoices>) =>
  String(
    await settingsFields(
      { settings: {}, budgets: [home, trip], defaults: { timeZone: 'UTC', confirm: 'deletes' }, ...choices },
      {},
    ),
  );

/** The options of a field, as value and text. A star marks the chosen one. */
function optionsOf(text: string, field: string): string[] {
  const [, inside = ''] = new RegExp(`<select id="${field}"[^>]*>(.*?)</select>`, 's').exec(text) ?? [];
  return [...inside.matchAll(/<option value="([^"]*)"( selected)?>([^<]*)/g)].map(
    ([, value, chosen, label]) => `${value}=${label}${chosen ? '*' : ''}`,
  );
}

describe('the choice of a time zone', () => {
  it('has every zone that is known here, by its part of the world, and what counts without a choice', async () => {
    const text = await rendered({ defaults: { timeZone: 'Europe/Vienna', confirm: 'none' } });
    const options = optionsOf(text, 'time_zone');
    expect(options).toContain('=default: Europe/Vienna*');
    expect(text).toMatch(
      /<optgroup label="Europe">(?:(?!<\/optgroup>).)*<option value="Europe\/Berlin">Berlin</s,
    );
    expect(options).toContain('America/Argentina/Salta=Argentina, Salta');
    expect(options.length).toBe(Intl.supportedValuesOf('timeZone').length + 2);
  });

  it.each(['Europe/Berlin', 'UTC', 'Etc/GMT+12', 'Asia/Kolkata'])(
    'has the present one, %s, once',
    async (zone) => {
      const options = optionsOf(await rendered({ settings: { timeZone: zone } }), 'time_zone');
      const chosen = options.filter((each) => each.endsWith('*'));
      expect(chosen).toHaveLength(1);
      expect(options.filter((each) => each.startsWith(`${zone}=`))).toEqual(chosen);
    },
  );
});

describe('the choice of a budget', () => {
  const none = '=default: Household';

  it('has the budgets by name, and the chosen one by its id', async () => {
    expect(optionsOf(await rendered({ settings: { budget: trip.id } }), 'budget')).toEqual([
      none,
      `${home.id}=Household`,
      `${trip.id}=Japan Trip*`,
    ]);
  });

  it.each([[[home]], [undefined]])('keeps one that is not in the list %j', async (budgets) => {
    const options = optionsOf(await rendered({ settings: { budget: 'Old' }, budgets }), 'budget');
    expect(options.slice(0, 2)).toEqual([budgets ? none : '=default', 'Old=as now: Old*']);
    expect(options).toHaveLength(budgets ? 3 : 2);
  });

  it('tells two of one name apart', async () => {
    const budgets = [home, { ...trip, name: home.name }];
    expect(optionsOf(await rendered({ budgets }), 'budget').slice(1)).toEqual([
      `${home.id}=Household (3f2a1b4c)`,
      `${trip.id}=Household (9d8e7f6a)`,
    ]);
  });

  it('shows any name as text without invisible characters', async () => {
    const text = await rendered({ budgets: [{ ...home, name: '</option><script>\u202e"x' }] });
    expect(text).toContain('&lt;/option&gt;&lt;script&gt;&quot;x</option>');
    expect(text).not.toMatch(forbidden);
  });
});

it('says in words when applications ask', async () => {
  expect(optionsOf(await rendered({ settings: { confirm: 'writes' } }), 'confirm')).toEqual([
    '=default: before deletions and large changes',
    'none=never',
    'deletes=before deletions and large changes',
    'writes=before every change*',
  ]);
});
