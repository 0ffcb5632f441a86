/** Files of a bank at a hosted server: they are chosen in a view, and are of one access only. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { demoBudgets } from '../../src/service/demo-data.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient } from './oauth-client.helper.ts';

const CSV = Buffer.from(
  'Date,Payee,Amount\n2026-11-13,Hidden Tailor,-47.83\n2026-11-14,Secret Employer,9.00\n',
);
const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
const views = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };

const uploaded = z.object({
  result: z.object({
    _meta: z.object({ 'budget-mcp/view': z.object({ content: z.object({ upload: z.string() }) }) }),
  }),
});

async function start() {
  const hosting = await startComposed();
  const tokenOf = async (client_name: string, person = hosting.service.signIn) =>
    (await (await OAuthClient.register(hosting, { client_name })).tokens({}, { person })).access_token;
  const call = (token: string, name: string, args: object = {}, extensions: object = views) => {
    const _meta = {
      [PROTOCOL_VERSION]: '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { extensions },
    };
    const message = { method: 'tools/call', params: { name, arguments: args, _meta } };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
    return hosting.send(token, message, headers);
  };
  return { hosting, tokenOf, call };
}

test.each([
  ['another one of the person', 1],
  ['one of another person', 2],
])(
  'a file is of the access that has sent it: %s neither sees it nor adds to it, and hosts without views cannot send one',
  async (_, people) => {
    const { hosting, tokenOf, call } = await start();
    const { access, signIn } = hosting.service;
    const ben = { email: 'ben@example.com', password: 'correct horse battery' };
    access.addUser(demoBudgets({ now: hosting.clock.now(), seed: 2, transactions: 300 }), ben);
    const [own, other] = [await tokenOf('One'), await tokenOf('Other', people === 1 ? signIn : ben)];
    const part = (from: number, until: number, upload?: string) => ({
      ...{ name: 'november.csv', size: CSV.length, at: from, upload },
      content: [CSV.subarray(from, until).toString('base64')],
    });
    const first = await call(own, 'upload_statement', part(0, 30));
    const { upload } = uploaded.parse(JSON.parse(first.text)).result._meta['budget-mcp/view'].content;
    expect((await call(other, 'upload_statement', part(30, CSV.length, upload))).text).toContain(
      'Choose the file again',
    );
    const last = await call(own, 'upload_statement', part(30, CSV.length, upload));
    expect(last.text).toContain('2 rows from 2026-11-13 to 2026-11-14');
    expect((await call(own, 'list_statements')).text).toContain('november.csv');
    expect((await call(other, 'list_statements')).text).toContain('0 files');
    const compared = { account: 'Checking', statement: 'november.csv' };
    expect((await call(other, 'reconcile_account', compared)).text).toContain('there is no file');
    const { text } = await call(own, 'reconcile_account', compared);
    expect(z.object({ result: z.object({ content: z.unknown() }) }).parse(JSON.parse(text))).toMatchObject({
      result: { content: [{ text: expect.stringContaining('The list has 2 rows') }] },
    });
    for (const name of ['upload_statement', 'list_statements'])
      expect((await call(own, name, name === 'upload_statement' ? part(0, 30) : {}, {})).text).toContain(
        'disabled',
      );
    // Nothing of it is in the clear.
    expect(JSON.stringify(hosting.logged)).not.toContain('Tailor');
  },
);

test('all accesses of a person together keep 12 MB of files', async () => {
  const { tokenOf, call } = await start();
  const [one, other] = [await tokenOf('One'), await tokenOf('Other')];
  const begin = async (token: string, megabytes: number) => {
    const part = { name: `${megabytes}.csv`, size: megabytes * 2 ** 20, at: 0, content: ['YSxi'] };
    return (await call(token, 'upload_statement', part)).text;
  };
  for (const megabytes of [4, 3, 2]) expect(await begin(one, megabytes)).toContain('have arrived');
  expect(await begin(other, 4)).toContain('leave no room');
  expect(await begin(other, 3)).toContain('have arrived');
  // Its own older ones make room.
  expect(await begin(one, 4)).toContain('have arrived');
});
