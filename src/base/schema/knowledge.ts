/** The `server_knowledge` that an answer came with (docs/interface.md, Delta requests). */
import { z } from 'zod';

const withKnowledge = z.object({ server_knowledge: z.int().optional() });

export const knowledgeOf = (data: unknown): number | undefined => withKnowledge.parse(data).server_knowledge;
