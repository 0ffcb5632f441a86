/** The built program with a folder of statements, and with a view, as hosts of both eras use it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { eras } from '../hosts.helper.ts';

const OFX = `OFXHEADER:100
DATA:OFXSGML

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>4711</BANKACCTFROM><BANKTRANLIST>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261113<TRNAMT>-47.83<NAME>Hidden Tailor</STMTTRN>
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261114<TRNAMT>1234.56<NAME>Secret Employer</STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
`;
const ROWS = /Tailor|Employer|47\.83|1234\.56/;
const statement = 'november.ofx';

test.each(eras)(
  'a host of %s with a folder of statements enters one, and gets no row of it to read',
  async (_, connect) => {
    const folder = await temporaryDirectory();
    writeFileSync(join(folder, statement), OFX);
    const host = await connect({
      args: ['serve', '--demo', '--statements', folder],
      env: { BUDGET_MCP_STRUCTURED: 'false' },
    });
    try {
      const { text: listed } = await host.call('list_statements');
      expect(listed).toContain(
        '"november.ofx" · OFX · 2 rows from 2026-11-13 to 2026-11-14 · account "4711" · "EUR"',
      );
      const texts = [listed];
      for (const [tool, args] of [
        ['reconcile_account', {}],
        ['enter_statement', { dry_run: true }],
        ['enter_statement', {}],
        ['enter_statement', {}],
      ] as const)
        texts.push((await host.call(tool, { account: 'Checking', statement, ...args })).text);
      expect(texts[1]).toContain('The list has 2 rows from 2026-11-13 to 2026-11-14: in the account 0');
      expect(texts[3]).toContain('Entered as cleared: 2.');
      expect(texts[4]).toContain('Nothing is left to enter.');
      for (const text of texts) expect(text).not.toMatch(ROWS);
    } finally {
      await host.close();
    }
  },
);

test.each(eras)('a view of a host of %s sends a file, and other hosts cannot', async (_, connect) => {
  const [host, plain] = await Promise.all([connect({ views: true }), connect({})]);
  const content = [Buffer.from(OFX).toString('base64')];
  const sent = { name: statement, size: OFX.length, at: 0, content };
  try {
    const { text } = await host.call('upload_statement', sent);
    expect(text).toContain('A file has arrived: "november.ofx", 2 rows from 2026-11-13 to 2026-11-14.');
    const entered = await host.call('enter_statement', { account: 'Checking', statement });
    expect(entered.text).toContain('Entered as cleared: 2.');
    expect(text + entered.text).not.toMatch(ROWS);
    for (const tool of ['upload_statement', 'list_statements'])
      await expect(plain.call(tool, tool === 'upload_statement' ? sent : {})).rejects.toThrow(
        /disabled|not found/,
      );
  } finally {
    await host.close();
    await plain.close();
  }
});
