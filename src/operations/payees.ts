/** Operations that read, create and rename payees, and read their locations (docs/interface.md, Payee). */
import { z } from 'zod';
import { budgetId, integer, nameText, payeeId, payeeLocationId } from '../base/schema/fields.ts';
import { payee, payeeLocation } from '../base/schema/payee.ts';
import { matches } from '../model/bookkeeping/matching.ts';
import { ownNameProblem, payeeKey } from '../model/bookkeeping/payee-names.ts';
import { EXAMPLE_ID, idsIn, operation } from './operation.ts';
import { cannotDelete, takeBackUpdateOf } from './reversal.ts';

export const listPayees = operation({
  name: 'list_payees',
  description: 'All payees: shops and people, and different ones for the same shop.',
  route: 'GET /budgets/{budget_id}/payees',
  input: { budget_id: budgetId },
  output: { payees: z.array(payee), server_knowledge: integer },
  rows: { key: 'payees', order: 'as sent' },
  readLocally: (replica) => ({ payees: replica.payees.list(), server_knowledge: replica.knowledge }),
});

export const getPayee = operation({
  name: 'get_payee',
  description: 'One payee.',
  route: 'GET /budgets/{budget_id}/payees/{payee_id}',
  input: { budget_id: budgetId, payee_id: payeeId },
  output: { payee },
  readLocally: (replica, { payee_id }) => ({ payee: replica.payees.get(payee_id) }),
  example: { payee_id: EXAMPLE_ID },
});

/** `thereAre` is a form of that, such as "there would be". */
const sameName = (
  payees: readonly { readonly id: string; readonly name: string }[],
  renamed: { readonly id: string; readonly name: string },
  thereAre: string,
): string[] =>
  payees.some(({ id, name }) => id !== renamed.id && payeeKey(name) === payeeKey(renamed.name))
    ? [
        `Another payee has this name already: ${thereAre} two payees of one name, each with its own transactions. To merge them: update_transactions with payee_name.`,
      ]
    : [];

const name = nameText(500);

const saved = { payee, server_knowledge: integer.optional() };

export const createPayee = operation({
  name: 'create_payee',
  description: 'Creates a payee, as create_transactions does for a new payee_name.',
  route: 'POST /budgets/{budget_id}/payees',
  addedIn: '1.85',
  input: { budget_id: budgetId, name },
  output: saved,
  body: (payee) => ({ payee }),
  readBefore: idsIn(listPayees, ({ payees }) => payees),
  recover: async (readDelta, { name }, idsBefore) => {
    const { payees, server_knowledge } = await readDelta(listPayees);
    const payee = payees.find((candidate) => !idsBefore.has(candidate.id) && matches({ name }, candidate));
    return payee && { payee, server_knowledge };
  },
  simulate: async (_, { name }) => ({ problems: [ownNameProblem('name', name) ?? []].flat() }),
  takeBack: cannotDelete('a payee'),
  example: { name: 'Bicycle shop' },
});

export const updatePayee = operation({
  name: 'update_payee',
  title: 'Rename payee',
  description:
    'Renames a payee (shop) in all its transactions, to say just "Bakery". To merge two: update_transactions with payee_name.',
  route: 'PATCH /budgets/{budget_id}/payees/{payee_id}',
  input: { budget_id: budgetId, payee_id: payeeId, name },
  output: saved,
  body: (payee) => ({ payee }),
  recover: async (readDelta, { payee_id, name }) => {
    const { payees, server_knowledge } = await readDelta(listPayees);
    const payee = payees.find((candidate) => candidate.id === payee_id && matches({ name }, candidate));
    return payee && { payee, server_knowledge };
  },
  simulate: async (readCurrent, { payee_id, name }) => {
    const { payee } = await readCurrent(getPayee);
    const { payees } = await readCurrent(listPayees);
    const names = name.trim() === payee.name ? [] : [payee.name, name];
    const problems = names.flatMap((each) => ownNameProblem('name', each) ?? []);
    return {
      current: { payee },
      problems,
      remarks: sameName(payees, { id: payee_id, name }, 'there would be'),
    };
  },
  stateBefore: ({ payees }, { payee_id }) => [payees.get(payee_id)],
  readStateBefore: async (read) => [(await read(getPayee)).payee],
  remarksAfter: ({ payees }, { payee }) => sameName(payees.list(), payee, 'there are now'),
  takeBack: takeBackUpdateOf({
    kind: 'payee',
    operation: 'update_payee',
    fields: ['name'],
    readBy: 'get_payee',
  }),
  example: { payee_id: EXAMPLE_ID, name: 'Corner Bakery' },
});

export const listPayeeLocations = operation({
  name: 'list_payee_locations',
  description: 'Places of payees, from phones.',
  route: 'GET /budgets/{budget_id}/payee_locations',
  input: { budget_id: budgetId },
  output: { payee_locations: z.array(payeeLocation) },
  rows: { key: 'payee_locations', order: 'as sent' },
  readLocally: (replica) => ({ payee_locations: replica.payeeLocations.list() }),
});

export const getPayeeLocation = operation({
  name: 'get_payee_location',
  description: 'One payee location.',
  route: 'GET /budgets/{budget_id}/payee_locations/{payee_location_id}',
  input: { budget_id: budgetId, payee_location_id: payeeLocationId },
  output: { payee_location: payeeLocation },
  readLocally: (replica, { payee_location_id }) => ({
    payee_location: replica.payeeLocations.get(payee_location_id),
  }),
  example: { payee_location_id: EXAMPLE_ID },
});

export const listPayeeLocationsByPayee = operation({
  name: 'list_payee_locations_by_payee',
  title: "List a payee's locations",
  description: 'Locations of one payee.',
  route: 'GET /budgets/{budget_id}/payees/{payee_id}/payee_locations',
  input: { budget_id: budgetId, payee_id: payeeId },
  output: { payee_locations: z.array(payeeLocation) },
  rows: { key: 'payee_locations', order: 'as sent' },
  readLocally: (replica, { payee_id }) => ({ payee_locations: replica.locationsOf(payee_id) }),
  example: { payee_id: EXAMPLE_ID },
});
