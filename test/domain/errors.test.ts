import t from 'tap';
import { errorTable, isError, ServiceError, validationFailed } from '../../domain/errors.ts';
import { failureToSend } from '../../services/api-gateway/work/answer.ts';

t.test('every failure of the table has a status of its kind and a sentence', async (t) => {
  for (const [code, { status, detail }] of Object.entries(errorTable)) {
    t.ok(status >= 400 && status < 600 && detail.length > 8, code);
  }
});

t.test('isError recognises an error by its type after it crossed the bus', async (t) => {
  const crossed = Object.assign(new Error('User 1 does not exist.'), { type: 'USER_NOT_FOUND', code: 404 });
  t.ok(isError(crossed, 'USER_NOT_FOUND'));
  t.same(failureToSend(crossed), { code: 'USER_NOT_FOUND', status: 404, detail: 'User 1 does not exist.' });
});

t.test('a failed validation names the first field in its sentence and all in its list', async (t) => {
  const error = validationFailed([
    { field: 'limit', message: 'must be at most 100' },
    { field: 'page', message: 'x' },
  ]);
  t.match(failureToSend(error), {
    status: 422,
    detail: 'limit must be at most 100.',
    errors: [{ field: 'limit' }, { field: 'page' }],
  });
  const sentence = (field: string, message: string) =>
    failureToSend(validationFailed([{ field, message }])).detail;
  t.equal(sentence('', 'The body must be a JSON object'), 'The body must be a JSON object.');
  t.equal(sentence('page', 'unknown. Left out.'), 'page: unknown. Left out.', 'with one full stop');
});

t.test('isError does not match other errors', async (t) => {
  for (const other of [null, undefined, 'INTERNAL', {}, { type: 'USER_NOT_FOUND' }])
    t.equal(isError(other, 'INTERNAL'), false);
  t.equal(isError({ type: 'INTERNAL' }, 'INTERNAL'), true);
});

t.test('a failure that is not in the table reveals no message', async (t) => {
  const secret = Object.assign(new Error('password=hunter2'), { code: '42P01' });
  t.same(failureToSend(secret), { code: 'INTERNAL', status: 500, detail: errorTable.INTERNAL.detail });
  t.equal(failureToSend('text').status, 500);
  t.equal(failureToSend(null).status, 500);
});

t.test('an unavailable or slow service is 503 or 504', async (t) => {
  const of = (type: string) => failureToSend(Object.assign(new Error('x'), { type })).status;
  t.equal(of('SERVICE_NOT_FOUND'), 503);
  t.equal(of('SERVICE_NOT_AVAILABLE'), 503);
  t.equal(of('REQUEST_TIMEOUT'), 504);
});

t.test('the cause is kept in the error but not in the answer', async (t) => {
  const error = new ServiceError('INTERNAL', undefined, undefined, new Error('deep'));
  t.match(error.cause, { message: 'deep' });
  t.notMatch(JSON.stringify(failureToSend(error)), 'deep');
});
