/** A host that shows views, connected to a server with the household of about two years. */
import { z } from 'zod';
import { VIEW_DATA_KEY } from '../../src/answers/view-data/version.ts';
import { viewData } from '../../src/features/view-data.ts';
import type { ServiceOptions } from '../../src/service/server.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { startHolding } from '../session/holding.helper.ts';

const result = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).default({}),
  _meta: z.record(z.string(), z.unknown()).default({}),
});

export async function hostWithViews(service: Partial<ServiceOptions> = {}) {
  const started = await startHolding({}, { transactions: 1_500, ...service });
  const host = await hostOf(started, { confirm: 'none', readView: async () => '' });
  const answerOf = async (name: string, args: Record<string, unknown>) =>
    result.parse(await host.callTool({ name, arguments: args }));
  /** The answer in currency units. */
  const read = async (name: string, args: Record<string, unknown>) =>
    (await answerOf(name, args)).structuredContent;
  /** The data of the view of an answer, and the answer in currency units. */
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, structuredContent, _meta } = await answerOf(name, args);
    const data = _meta[VIEW_DATA_KEY];
    if (data === undefined) throw new Error(content[0]?.text);
    const characters = JSON.stringify(_meta).length;
    return { ...viewData.parse(data), structured: structuredContent, characters };
  };
  return { ...started, host, call, read };
}

/** Of one kind. Throws if it is of another one. */
export function contentOf<Kind extends string, Content extends { kind: string }>(
  { content }: { content: Content },
  kind: Kind,
): Extract<Content, { kind: Kind }> {
  const isOfKind = (each: Content): each is Extract<Content, { kind: Kind }> => each.kind === kind;
  if (isOfKind(content)) return content;
  throw new Error(`${content.kind} instead of ${kind}`);
}
