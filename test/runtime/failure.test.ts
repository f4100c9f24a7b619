import { ServiceBroker } from 'moleculer';
import t from 'tap';
import { codeOf, failureOf } from '../../runtime/failure.ts';

t.test('an unreachable database is SERVICE_UNAVAILABLE, any other failure INTERNAL', (t) => {
  const { logger } = new ServiceBroker({ logger: false });
  for (const [error, type] of [
    [new Error('Connection terminated unexpectedly'), 'SERVICE_UNAVAILABLE'],
    [new Error('Client has encountered a connection error and is not queryable'), 'SERVICE_UNAVAILABLE'],
    [new Error('Client was closed and is not queryable'), 'SERVICE_UNAVAILABLE'],
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

t.test('returns a code of any thrown value', (t) => {
  for (const [error, code] of [
    [{ type: 'USER_NOT_FOUND' }, 'USER_NOT_FOUND'],
    [{ type: 'REQUEST_TIMEOUT' }, 'REQUEST_TIMEOUT'],
    [{ type: 'a text that may quote a row' }, 'INTERNAL'],
    [{ type: 1 }, 'INTERNAL'],
    [{}, 'INTERNAL'],
    [null, 'INTERNAL'],
    [undefined, 'INTERNAL'],
    ['x', 'INTERNAL'],
  ] as const)
    t.equal(codeOf(error), code, JSON.stringify(error));
  t.end();
});

t.test('a log says of an error of the database its code alone', async (t) => {
  const logged: unknown[][] = [];
  const note = (...given: unknown[]) => void logged.push(given);
  const { logger } = new ServiceBroker({ logger: false });
  const noting = { ...logger, error: note, warn: note };
  for (const code of ['23505', '08006'])
    failureOf(Object.assign(new Error('a row'), { code }), noting, 'users.get');
  t.match(logged, [
    ['action.failed', { code: '23505', message: undefined }],
    ['action.database_away', { code: '08006' }],
  ]);
  t.notMatch(JSON.stringify(logged), 'a row');
});
