import { expect, onTestFinished, test } from 'vitest';
import { noBrowser } from '../browser.helper.ts';
import { connectModern } from '../hosts.helper.ts';
import { type Look, ViewHost } from './view-host.helper.ts';

const folder = process.env['PICTURES'];

const pictures: readonly (readonly [
  file: string,
  tool: string,
  args: Record<string, unknown>,
  look: Look,
])[] = [
  ['report', 'report', { of: 'spending', by: 'category' }, {}],
  ['report-dark', 'report', { of: 'spending', by: 'category' }, { theme: 'dark' }],
  ['income', 'report', { of: 'both', monthly: true }, {}],
  ['net-worth', 'report', { of: 'net_worth', by: 'account', monthly: true }, {}],
  ['month', 'check_month', {}, {}],
  ['month-narrow', 'check_month', {}, { width: 320, theme: 'dark' }],
  ['month-arabic', 'check_month', {}, { locale: 'ar' }],
  ['transactions', 'find_transactions', {}, {}],
  ['forecast', 'forecast', { until: '2027-02' }, {}],
  ['write', 'move_budgeted', { from: 'New Bicycle', to: 'Hobbies', dry_run: true }, {}],
];

/** `PICTURES=docs/images npm run test:all -- --project slow page.pictures` makes those of the documentation. */
test.skipIf(noBrowser || folder === undefined)('pictures of all views are made', async () => {
  const host = await connectModern({ views: true, env: { BUDGET_MCP_STRUCTURED: 'false' } });
  onTestFinished(() => host.close());
  const viewHost = await ViewHost.start();
  for (const [file, tool, args, look] of pictures) {
    const view = await viewHost.show(host.client, tool, args, { width: 640, ...look });
    await view.fitPage();
    await view.page.screenshot({ path: `${folder}/${file}.png` });
    expect(view.problems).toEqual([]);
    await view.page.close();
  }
});
