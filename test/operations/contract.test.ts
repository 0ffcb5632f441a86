import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fixedCredential } from '../../src/auth/token-provider.ts';
import { BudgetClient } from '../../src/client/budget-client.ts';
import { encode } from '../../src/client/codec.ts';
import { HttpSender } from '../../src/client/http-sender.ts';
import { systemClock } from '../../src/clock.ts';
import { operations } from '../../src/operations/index.ts';
import { type Service, startService } from '../../src/service/server.ts';
import { exampleOf, someIds } from '../ids.ts';

describe('every operation, asked of the embedded service over HTTP', () => {
  let service: Service;
  let ids: Awaited<ReturnType<typeof someIds>>;
  let client: BudgetClient;
  const sender = new HttpSender({ clock: systemClock });

  beforeAll(async () => {
    service = await startService({ clock: systemClock });
    ids = await someIds(service);
    const tokens = fixedCredential({ baseUrl: service.baseUrl, token: service.accessToken });
    client = new BudgetClient({ tokens, sender, clock: systemClock, budget: ids.budget_id });
  });
  afterAll(async () => {
    await sender.close();
    await service.close();
  });

  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s: its example gives what the service sent, field by field',
    async (_, operation) => {
      const input = operation.input.parse(exampleOf(operation, ids));
      const { data } = await client.call(operation, input);

      const asked = 'budget_id' in operation.input.shape ? { ...input, budget_id: ids.budget_id } : input;
      const { url } = encode(operation, asked, service.baseUrl);
      const response = await fetch(url, { headers: { authorization: `Bearer ${service.accessToken}` } });
      const sent = z.object({ data: z.looseObject({}) }).parse(await response.json()).data;
      // What the service leaves out where it has no default budget is null for us.
      const expected = operation.name === 'list_budgets' ? { default_budget: null, ...sent } : sent;
      expect(data).toEqual(expected);
    },
  );
});
