import t from 'tap';
import { errorCodeOf, fieldOf } from '../../domain/error-code.ts';
import { ServiceError } from '../../domain/errors.ts';
import { loggedCodeOf } from '../../runtime/failure.ts';

t.test('a code that is not text is undefined', async (t) => {
  t.equal(errorCodeOf(Object.assign(new Error('no such file'), { code: 'ENOENT' })), 'ENOENT');
  t.equal(errorCodeOf({ code: '40001' }), '40001');
  for (const error of [new ServiceError('INTERNAL'), new Error('ENOENT'), 'ENOENT', null, undefined])
    t.equal(errorCodeOf(error), undefined);
  t.equal(fieldOf({ type: 'INTERNAL' }, 'type'), 'INTERNAL');
});

t.test('a log gets the type, the code or the name of a failure, never its message', async (t) => {
  t.equal(loggedCodeOf(new ServiceError('USER_NOT_FOUND')), 'USER_NOT_FOUND');
  t.equal(loggedCodeOf(Object.assign(new Error('row (7)'), { code: '57P01' })), '57P01');
  t.equal(loggedCodeOf(new TypeError('row (7)')), 'TypeError');
  t.equal(loggedCodeOf('row (7)'), undefined);
});
