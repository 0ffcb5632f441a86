/** What an event that can be watched consists of. It knows a budget and a day, and neither stores nor protocols. */
import { z } from 'zod';
import type { Money } from '../../answers/units.ts';
import type { JsonObject } from '../../base/json.ts';
import { budgetId, milliunits, text } from '../../base/schema/fields.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';

/** What a receiver gets, with amounts in currency units. Every event has the same form. */
export const payload = z.object({
  /** One sentence, in which names are quoted. */
  message: text,
  amount: milliunits,
  currency: text.nullable(),
  /** The name of the budget, quoted. */
  budget: text,
  /** The call of a tool that shows more. */
  next: z.object({ tool: text, arguments: z.record(text, z.union([text, z.array(text)])) }),
});

/** Something that is true of a budget now. */
export interface Observation extends Pick<z.output<typeof payload>, 'message' | 'amount' | 'next'> {
  /** What it is about, such as the id of a category. The same at each check. */
  readonly key: string;
}

export interface WatchScope {
  readonly replica: BudgetReplica;
  /** The person's day. */
  readonly today: string;
  readonly money: Money;
}

export interface WatchEvent {
  readonly name: string;
  /** Its arguments are resolved as those of a tool that reads. */
  readonly kind: 'read';
  readonly description: string;
  readonly input: z.ZodObject;
  /** `daily`: what ends and begins again is an occurrence of its own on another day. `once`: it is the same one. */
  readonly repeats: 'daily' | 'once';
  /** All that is true now, the newest first. `input` has full ids, and amounts in milliunits. */
  observe(scope: WatchScope, input: JsonObject): readonly Observation[];
  /** Makes one occurrence of all that is new. Then there is at most one a day. */
  readonly combine?: (observations: readonly Observation[], scope: WatchScope) => Observation;
}

interface EventOf<Shape extends z.ZodRawShape> extends Omit<WatchEvent, 'kind' | 'input' | 'observe'> {
  /** The arguments in addition to the budget. */
  readonly input: Shape;
  observe(scope: WatchScope, input: z.output<z.ZodObject<Shape>>): readonly Observation[];
}

export function watchEvent<Shape extends z.ZodRawShape>(event: EventOf<Shape>): WatchEvent {
  const own = z.strictObject(event.input);
  return {
    ...event,
    kind: 'read',
    input: z.strictObject({ budget_id: budgetId, ...event.input }),
    observe: (scope, { budget_id: _, ...args }) => event.observe(scope, own.parse(args)),
  };
}
