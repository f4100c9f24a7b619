import { ServiceBroker } from 'moleculer';
import t from 'tap';
import { failureOf } from '../../runtime/failure.ts';

t.test('a database out of reach is SERVICE_UNAVAILABLE, any other failure INTERNAL', (t) => {
  const { logger } = new ServiceBroker({ logger: false });
  for (const [error, type] of [
    [new Error('Connection terminated unexpectedly'), 'SERVICE_UNAVAILABLE'],
    [new Error('timeout exceeded when trying to connect'), 'SERVICE_UNAVAILABLE'],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'SERVICE_UNAVAILABLE'],
    [Object.assign(new Error('x'), { code: '08006' }), 'SERVICE_UNAVAILABLE'],
    [Object.assign(new Error('x'), { code: '42P01' }), 'INTERNAL'],
    [new Error('x'), 'INTERNAL'],
    ['x', 'INTERNAL'],
    [null, 'INTERNAL'],
  ] as const)
    t.match(failureOf(error, logger, 'users.get'), { type }, String(error));
  t.end();
});
