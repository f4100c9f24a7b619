import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import t from 'tap';
import { checkContentType } from '../../../services/api-gateway/work/body.ts';
import { refusal } from '../../support/refusal.ts';

/** A row: a Content-Type, and how the body is read if forms are accepted; null if it is refused. */
const rows: readonly (readonly [type: string, read: 'json' | 'form' | null])[] = [
  ['application/json', 'json'],
  ['Application/JSON; Charset=UTF-8', 'json'],
  ['application/json; charset="utf-8"', 'json'],
  ['application/json;charset=utf8', 'json'],
  ['application/json; q=1; charset=utf-8', 'json'],
  ['application/merge-patch+json', 'json'],
  ['application/x-www-form-urlencoded', 'form'],
  ['application/x-www-form-urlencoded; charset=utf-8', 'form'],
  ['', null],
  ['text/plain', null],
  ['application/jsonp', null],
  ['text/json', null],
  ['application/json; charset=utf-16', null],
  ['application/json; charset=xutf-8', null],
  ['application/x-www-form-urlencoded; charset=latin1', null],
];

const requestOf = (type: string) => {
  const req = new IncomingMessage(new Socket());
  if (type !== '') req.headers['content-type'] = type;
  return req;
};

t.test('a body is read by its content type, in UTF-8 only', async (t) => {
  for (const [type, read] of rows) {
    const check = () => checkContentType(requestOf(type), true);
    if (read === null) t.throws(check, refusal('UNSUPPORTED_MEDIA_TYPE'), type);
    else t.equal(check(), read, type);
  }
});

t.test('forms are accepted only by routes with `form`', async (t) => {
  const check = (type: string) => checkContentType(requestOf(type), false);
  t.throws(() => check('application/x-www-form-urlencoded'), refusal('UNSUPPORTED_MEDIA_TYPE'));
  t.equal(check('application/json'), 'json');
});
