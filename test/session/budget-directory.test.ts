import { describe, expect, test } from 'vitest';
import { momentOf } from '../../src/base/clock.ts';
import { BudgetError } from '../../src/base/errors.ts';
import type { BudgetSummary } from '../../src/base/schema/budget.ts';
import { BudgetDirectory, type BudgetList } from '../../src/session/budget-directory.ts';
import { ManualClock } from '../manual-clock.helper.ts';

function budget(id: string, name: string, first_month: string | null = null): BudgetSummary {
  const nothing = { last_modified_on: null, last_month: null, date_format: null, currency_format: null };
  return { id, name, first_month, ...nothing };
}

const home = budget('b-home', 'Home', '2026-03-01');
const studio = budget('b-studio', 'Studio', '2025-01-01');
const cabin = budget('b-cabin', 'Cabin', null);

interface Scene {
  budgets: BudgetSummary[];
  default_budget?: BudgetSummary | null;
  /** The ids that the service returns for `last-used` and `default`. */
  literals?: Record<string, string>;
  configured?: string;
  chosen?: string;
  /** What another process has kept as the first budget. */
  first?: string;
}

const firstIn = (kept: { first?: string }) => ({
  read: async () => kept.first,
  write: async (id: string) => {
    kept.first = id;
  },
});

/** A directory with a service whose state the test can change. `asked` contains the requests. */
function open(scene: Scene) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const asked: string[] = [];
  const directory = new BudgetDirectory({
    clock,
    ...(scene.configured !== undefined && { configured: scene.configured }),
    first: firstIn(scene),
    async list() {
      const readAt = momentOf(clock);
      asked.push('list');
      const list: BudgetList = { budgets: scene.budgets, default_budget: scene.default_budget ?? null };
      return { list, readAt };
    },
    async identify(literal) {
      asked.push(literal);
      const id = scene.literals?.[literal];
      if (id === undefined) throw new BudgetError('resource_not_found', `No ${literal}.`);
      return id;
    },
  });
  directory.chosen = scene.chosen;
  return { directory, clock, asked, scene };
}

describe('a list that another process has read long ago', () => {
  function openWith(list: BudgetList) {
    const clock = new ManualClock('2026-11-21T12:00:00Z');
    const longAgo = { wall: clock.now() - 86_400_000, monotonic: clock.monotonic() - 86_400_000 };
    const asked: number[] = [];
    const current: BudgetList = { budgets: [home, studio], default_budget: studio };
    const directory = new BudgetDirectory({
      clock,
      list: async (maxAgeMs) => {
        if (maxAgeMs > 86_400_000) return { list, readAt: longAgo };
        asked.push(maxAgeMs);
        return { list: current, readAt: momentOf(clock) };
      },
      first: firstIn({}),
      identify: async (literal) => literal,
    });
    return { directory, asked };
  }

  test('the first call uses its default budget, and the second call reads the list', async () => {
    const { directory, asked } = openWith({ budgets: [home, studio], default_budget: home });
    expect(await directory.resolve()).toBe(home);
    expect(asked).toEqual([]);
    expect(await directory.resolve()).toBe(studio);
    expect(asked).toHaveLength(1);
  });

  test('the first call uses its only budget', async () => {
    const { directory, asked } = openWith({ budgets: [home], default_budget: null });
    expect(await directory.resolve()).toBe(home);
    expect(asked).toEqual([]);
  });

  test('the first call finds a budget in it by its id', async () => {
    const { directory, asked } = openWith({ budgets: [home, cabin], default_budget: null });
    expect(await directory.resolve('b-cabin')).toBe(cabin);
    expect(asked).toEqual([]);
  });

  test('the list is read if the budget depends on which one begins first', async () => {
    const { directory, asked } = openWith({ budgets: [home, cabin], default_budget: null });
    expect(await directory.resolve()).toBe(studio);
    expect(asked).toHaveLength(1);
  });

  test('the list is read if it does not have the budget', async () => {
    const { directory, asked } = openWith({ budgets: [home], default_budget: null });
    expect(await directory.resolve('b-studio')).toBe(studio);
    expect(asked).toHaveLength(1);
  });
});

describe('the budget of a call that names none', () => {
  test('a call without a budget uses the configured one before the default budget of the service', async () => {
    const { directory } = open({ budgets: [home, studio], default_budget: studio, configured: 'Home' });
    expect(await directory.resolve()).toBe(home);
  });

  test('a call without a budget uses the default budget of the service before the one that begins first', async () => {
    const { directory } = open({ budgets: [home, studio], default_budget: home });
    expect(await directory.resolve()).toBe(home);
  });

  test('a call without a budget uses the only budget', async () => {
    expect(await open({ budgets: [cabin] }).directory.resolve()).toBe(cabin);
  });

  test('a call without a budget uses the one that was chosen at the sign-in before the default budget of the service', async () => {
    const { directory } = open({ budgets: [home, studio], default_budget: studio, chosen: 'b-home' });
    expect(await directory.resolve()).toBe(home);
  });

  test('a call without a budget uses the one that begins first, then the first by name', async () => {
    const barn = budget('b-barn', 'Barn', '2025-01-01');
    expect(await open({ budgets: [cabin, home, studio] }).directory.resolve()).toBe(studio);
    expect(await open({ budgets: [studio, cabin, home, barn] }).directory.resolve()).toBe(barn);
    expect(await open({ budgets: [budget('b', 'Z'), cabin] }).directory.resolve()).toBe(cabin);
  });

  test('an older entry in another budget does not change which one is used, also in another process', async () => {
    const { directory, scene, clock } = open({ budgets: [home, studio] });
    expect(await directory.resolve()).toBe(studio);
    scene.budgets = [{ ...home, first_month: '2022-01-01' }, studio];
    clock.advance(60 * 60_000);
    expect(await directory.resolve()).toBe(studio);
    expect(await open(scene).directory.resolve()).toBe(studio);
  });

  test('a call without a budget fails if the chosen one does not exist any more, and no other one is used', async () => {
    const { directory } = open({ budgets: [home, studio], default_budget: home, chosen: 'b-barn' });
    await expect(directory.resolve()).rejects.toMatchObject({
      code: 'unknown_budget',
      message: expect.stringMatching(
        /^The default budget that was chosen at sign-in does not exist any more: /,
      ),
    });
  });

  test('each caller gets the default budget once to name it with the others, unless the person has chosen it', async () => {
    const { directory } = open({ budgets: [home, studio, cabin] });
    expect(directory.takeUnchosen('a')).toBeUndefined();
    await directory.resolve();
    expect(directory.takeUnchosen('a')).toEqual({ budget: studio, by: 'first', others: [home, cabin] });
    expect(directory.takeUnchosen('a')).toBeUndefined();
    expect(directory.takeUnchosen('b')).toBeDefined();
    for (const scene of [{ chosen: 'b-home' }, { configured: 'Home' }, { budgets: [home] }]) {
      const other = open({ budgets: [home, studio], ...scene }).directory;
      await other.resolve();
      expect(other.takeUnchosen('a')).toBeUndefined();
    }
  });

  test('a call without a budget fails if the user has none', async () => {
    await expect(open({ budgets: [] }).directory.resolve()).rejects.toMatchObject({ code: 'unknown_budget' });
  });

  test('a call without a budget fails if the configured one is unknown, and no other one is used', async () => {
    const { directory } = open({ budgets: [home], default_budget: home, configured: 'House' });
    await expect(directory.resolve()).rejects.toMatchObject({
      code: 'unknown_budget',
      message:
        'The configured default budget does not exist. There is no budget "House". There are: "Home" (b-home). Use one of them, by id or name.',
    });
  });
});

describe('the name of a budget', () => {
  test('a budget is found by its id', async () => {
    expect(await open({ budgets: [home, studio] }).directory.resolve('b-home')).toBe(home);
  });

  test.each(['Home', 'home', 'HOME'])('a budget is found by its name, ignoring case: %s', async (name) => {
    expect(await open({ budgets: [home, studio] }).directory.resolve(name)).toBe(home);
  });

  test('a named budget is used instead of the configured one', async () => {
    const { directory } = open({ budgets: [home, studio], configured: 'Home' });
    expect(await directory.resolve('Studio')).toBe(studio);
  });

  test('a budget is found by id before name if one has the id of another as its name', async () => {
    const confusing = budget('b-other', 'b-home');
    expect(await open({ budgets: [confusing, home] }).directory.resolve('b-home')).toBe(home);
  });

  test('a budget is found by its exact name if another name differs only in case', async () => {
    const shouting = budget('b-shouting', 'HOME');
    const { directory } = open({ budgets: [home, shouting] });
    expect(await directory.resolve('HOME')).toBe(shouting);
    expect(await directory.resolve('Home')).toBe(home);
    await expect(directory.resolve('home')).rejects.toMatchObject({ code: 'ambiguous_budget' });
  });

  test('a name of several budgets is an error that gives their ids and no others', async () => {
    const { directory } = open({ budgets: [home, studio, budget('b-2', 'Home')] });
    await expect(directory.resolve('Home')).rejects.toMatchObject({
      code: 'ambiguous_budget',
      message: '2 budgets are called "Home". There are: "Home" (b-home), "Home" (b-2).',
    });
  });

  test('an unknown name is an error that lists all budgets', async () => {
    const { directory } = open({ budgets: [home, studio] });
    await expect(directory.resolve('Hom')).rejects.toMatchObject({
      code: 'unknown_budget',
      message:
        'There is no budget "Hom". There are: "Home" (b-home), "Studio" (b-studio). Use one of them, by id or name.',
    });
  });

  test('a user without a budget learns that only the app can create one', async () => {
    const none = 'This user has no budget yet. Only the user can create one, in the app of the service.';
    const { directory } = open({ budgets: [] });
    await expect(directory.resolve()).rejects.toMatchObject({ code: 'unknown_budget', message: none });
    await expect(directory.resolve('Home')).rejects.toThrow(`There is no budget "Home". ${none}`);
    await expect(directory.resolve('last-used')).rejects.toThrow(
      `The service names no last-used budget. ${none}`,
    );
  });

  test('`default` is the default budget in the list', async () => {
    const { directory, asked } = open({ budgets: [home, studio], default_budget: home });
    expect(await directory.resolve('default')).toBe(home);
    expect(asked).toEqual(['list']);
  });

  test('`default` is read from the service if the list has none', async () => {
    const { directory } = open({ budgets: [home, studio], literals: { default: 'b-home' } });
    expect(await directory.resolve('default')).toBe(home);
    await expect(open({ budgets: [home] }).directory.resolve('default')).rejects.toThrow(
      'The service names no default budget. There are: "Home" (b-home).',
    );
  });

  test('`last-used` is read again from the service after ten seconds', async () => {
    const literals = { 'last-used': 'b-home' };
    const { directory, clock, asked } = open({ budgets: [home, studio], literals });
    const both = [directory.resolve('last-used'), directory.resolve('last-used')];
    expect(await Promise.all(both)).toEqual([home, home]);
    literals['last-used'] = 'b-studio';
    clock.advance(9_999);
    expect(await directory.resolve('last-used')).toBe(home);
    expect(asked).toEqual(['list', 'last-used']);
    clock.advance(1);
    expect(await directory.resolve('last-used')).toBe(studio);
  });

  test('a cancelled call does not wait for the list, while other calls do', async () => {
    const { directory, asked } = open({ budgets: [home], literals: { 'last-used': 'b-home' } });
    const cancelling = new AbortController();
    const leaving = directory.resolve('last-used', cancelling.signal);
    const staying = directory.resolve('last-used');
    cancelling.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
    expect(await staying).toBe(home);
    expect(asked).toEqual(['list', 'last-used']);
  });
});

describe('the list', () => {
  test('the list is read once for many calls, simultaneous or consecutive', async () => {
    const { directory, asked } = open({ budgets: [home, studio] });
    await Promise.all(['Home', undefined, 'b-studio', 'studio'].map((wanted) => directory.resolve(wanted)));
    for (const wanted of ['Home', undefined, 'b-studio', 'studio']) await directory.resolve(wanted);
    expect(asked).toEqual(['list']);
  });

  test('the list is used for ids, the only budget and the default budget for 15 minutes', async () => {
    for (const scene of [{ budgets: [home] }, { budgets: [home, studio], default_budget: studio }]) {
      const { directory, asked, clock } = open(scene);
      await directory.resolve();
      clock.advance(15 * 60_000 - 1);
      await directory.resolve();
      await directory.resolve('b-home');
      expect(asked).toEqual(['list']);
      clock.advance(1);
      await directory.resolve('b-home');
      expect(asked).toEqual(['list', 'list']);
    }
  });

  test('the list is read again after 10 seconds if a name decides, because names can change', async () => {
    const { directory, clock, scene } = open({ budgets: [home] });
    expect(await directory.resolve('Home')).toBe(home);
    const moved = { ...studio, name: 'Home' };
    scene.budgets = [{ ...home, name: 'Home (old)' }, moved];
    clock.advance(10_000);
    expect(await directory.resolve('Home')).toBe(moved);
  });

  test('a budget that is configured by name stays the same when it is renamed', async () => {
    const { directory, clock, scene } = open({ budgets: [home, studio], configured: 'Home' });
    await directory.resolve();
    const renamed = { ...home, name: 'Home (old)' };
    scene.budgets = [renamed, { ...studio, name: 'Home' }];
    clock.advance(15 * 60_000);
    expect(await directory.resolve()).toBe(renamed);
  });

  test.each([
    ['made', [home, studio], 'Studio', studio],
    ['renamed', [{ ...home, name: 'House' }], 'House', { ...home, name: 'House' }],
  ])('the list is read again for a budget that was just %s', async (_, later, wanted, found) => {
    const { directory, asked, scene, clock } = open({ budgets: [home] });
    await directory.resolve('Home');
    scene.budgets = later;
    clock.advance(1_000);
    expect(await directory.resolve(wanted)).toEqual(found);
    await directory.resolve(wanted);
    expect(asked).toEqual(['list', 'list']);
  });

  test('the list in an error message is the one that was read last', async () => {
    const { directory, scene, clock } = open({ budgets: [home] });
    await directory.resolve();
    scene.budgets = [home, studio];
    clock.advance(1_000);
    await expect(directory.resolve('Barn')).rejects.toMatchObject({
      message: expect.stringContaining('There are: "Home" (b-home), "Studio" (b-studio).'),
    });
  });

  test('the last list is used while the service is not available, and each call tries to read a new one', async () => {
    const scene = { budgets: [home, studio] };
    let asked = 0;
    const clock = new ManualClock('2026-11-21T12:00:00Z');
    const directory = new BudgetDirectory({
      clock,
      async list() {
        asked += 1;
        if (asked === 2) throw new BudgetError('rate_budget_spent', 'Nothing left.');
        return { list: { budgets: scene.budgets, default_budget: null }, readAt: momentOf(clock) };
      },
      first: firstIn({}),
      identify: async (literal) => literal,
    });
    await directory.resolve('Home');
    clock.advance(15 * 60_000);
    expect(await directory.resolve('b-home')).toBe(home);
    const renamed = { ...home, name: 'House' };
    scene.budgets = [renamed];
    expect(await directory.resolve('b-home')).toBe(renamed);
    expect(asked).toBe(3);
  });

  test('the list is read again after it could not be read', async () => {
    let broken = true;
    const clock = new ManualClock('2026-11-21T12:00:00Z');
    const directory = new BudgetDirectory({
      clock,
      async list() {
        if (broken) throw new BudgetError('unreachable', 'No service.');
        return { list: { budgets: [home], default_budget: null }, readAt: momentOf(clock) };
      },
      first: firstIn({}),
      identify: async (literal) => literal,
    });
    await expect(directory.resolve()).rejects.toMatchObject({ code: 'unreachable' });
    broken = false;
    expect(await directory.resolve()).toBe(home);
  });
});
