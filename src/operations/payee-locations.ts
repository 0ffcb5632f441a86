/** Operations that read payee locations. */
import { z } from 'zod';
import { budgetId, payeeId, payeeLocationId } from '../base/schema/fields.ts';
import { payeeLocation } from '../base/schema/payee-location.ts';
import { EXAMPLE_ID, operation } from './operation.ts';

export const listPayeeLocations = operation({
  name: 'list_payee_locations',
  title: 'List payee locations',
  description: 'Places of payees, from phones.',
  route: 'GET /budgets/{budget_id}/payee_locations',
  kind: 'read',
  input: { budget_id: budgetId },
  output: { payee_locations: z.array(payeeLocation) },
  rows: { key: 'payee_locations', order: 'as sent' },
  completes: [
    {
      argument: 'payee_location_id',
      candidates: ({ payee_locations }) =>
        payee_locations.map(({ id, latitude, longitude }) => ({ id, label: `${latitude}, ${longitude}` })),
    },
  ],
  readLocally: (replica) => ({ payee_locations: replica.payeeLocations.list() }),
  example: {},
});

export const getPayeeLocation = operation({
  name: 'get_payee_location',
  title: 'Get payee location',
  description: 'One payee location.',
  route: 'GET /budgets/{budget_id}/payee_locations/{payee_location_id}',
  kind: 'read',
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
  kind: 'read',
  input: { budget_id: budgetId, payee_id: payeeId },
  output: { payee_locations: z.array(payeeLocation) },
  rows: { key: 'payee_locations', order: 'as sent' },
  readLocally: (replica, { payee_id }) => ({ payee_locations: replica.locationsOf(payee_id) }),
  example: { payee_id: EXAMPLE_ID },
});
