import { listPayees } from '../../src/operations/payees.ts';
import type { ServiceOptions } from '../../src/service/server.ts';
import { callOperation } from '../call-operation.helper.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { startWarm } from '../session/holding.helper.ts';

/** A real MCP client, connected to a server that has cached the household's budget. */
export async function connected(service: Partial<ServiceOptions> = {}) {
  const started = await startWarm((client) => callOperation(client, listPayees, {}), {}, true, service);
  const host = await hostOf(started, { notice: 'Invented.' });
  // After `listTools`, the client validates structured content against the output schemas.
  await host.listTools();
  const call = async (name: string, args = {}) => {
    const { structuredContent, content, isError } = await host.callTool({ name, arguments: args });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { structured: structuredContent, text, isError };
  };
  return { ...started, host, call };
}
