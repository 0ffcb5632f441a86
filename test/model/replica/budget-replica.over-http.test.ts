import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dateOf, systemClock } from '../../../src/base/clock.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { interfaceVersions } from '../../../src/service/interface-version.ts';
import { HttpSender } from '../../../src/session/http/http-sender.ts';
import { type RunningService, startTestService } from '../../service/running-service.helper.ts';
import { expectSameAnswer } from './same-answer.helper.ts';
import { idsOf, inputsOf, readerOf, replicaOperations, type ServiceReader } from './service-reader.helper.ts';

describe.each(interfaceVersions)(
  'a replica of the demo budget over HTTP with the interface %s',
  (version) => {
    let running: RunningService;
    let service: ServiceReader;
    let replica: BudgetReplica;
    let ids: ReturnType<typeof idsOf>;
    const sender = new HttpSender({ clock: systemClock });

    beforeAll(async () => {
      running = await startTestService({ version });
      const { baseUrl, accessToken: token, user } = running;
      const budgetId = user.ledgers[0]?.id ?? '';
      service = readerOf({ baseUrl, token, budgetId, send: (request) => sender.send(request) });
      replica = BudgetReplica.load(await service.export(), dateOf(running.clock.now()));
      const before = replica.transactions.list({}).length;
      running.clock.advance(40 * 24 * 60 * 60 * 1000);
      const delta = await service.export(replica.knowledge);
      expect(delta.budget.transactions.length).toBeLessThan(before);
      replica.apply(delta, dateOf(running.clock.now()));
      expect(replica.transactions.list({}).length).toBeGreaterThan(before);
      // The last ids of each kind, which include new entities.
      const all = Object.entries(idsOf(await service.export()));
      ids = Object.fromEntries(all.map(([name, values]) => [name, values.slice(-4)]));
    });
    afterAll(async () => {
      await sender.close();
      await running.close();
    });

    it.each(replicaOperations.map((operation) => [operation.name, operation] as const))(
      'after forty days and a sync, the replica answers %s like the service',
      async (_, operation) => {
        for (const filter of [
          {},
          { since_date: '2026-11-30' },
          // 1.77 ignores until_date.
          ...(version === '1.77' ? [] : [{ until_date: '2026-11-30' }]),
          { type: 'uncategorized' },
          { type: 'unapproved' },
        ])
          for (const input of inputsOf(operation, ids, filter))
            await expectSameAnswer(replica, service, operation, input);
      },
    );
  },
);
