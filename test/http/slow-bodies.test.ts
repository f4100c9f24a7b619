import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { startApi } from '../support/api.ts';

const api = await startApi(t, { BODY_TIMEOUT_SECONDS: '1' });

/** Sends the head of a request, then a byte of its body every 50 ms. Gives all that is answered until the end. */
function trickle(t: Test, head: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write([...head, 'Host: x', 'Content-Length: 10000', '', ''].join('\r\n'));
  const timer = setInterval(() => socket.write('x'), 50);
  t.teardown(() => clearInterval(timer));
  let answered = '';
  socket.on('data', (bytes) => {
    answered += String(bytes);
  });
  socket.on('error', () => undefined); // it writes on when the server has hung up
  return new Promise((resolve) => socket.once('close', () => resolve(answered)));
}

t.test('a slow body is answered 408, and its connection is closed', async (t) => {
  const heads: [string, string][] = [
    ['POST /api/v1/webhooks/devicemaker/push HTTP/1.1', 'devicemaker-client-id: tests'],
    ['POST /api/v1/webhooks/activitynet/webhook HTTP/1.1', ''],
    ['POST /api/v1/auth/login HTTP/1.1', 'Content-Type: application/json'],
    ['POST /api/v1/users HTTP/1.1', `X-API-Key: ${api.apiKey}`],
  ];
  for (const [asked, header] of heads) {
    const answer = await trickle(
      t,
      [asked, header].filter((line) => line !== ''),
    );
    t.match(
      answer,
      /^HTTP\/1\.1 408 [\s\S]*\{"detail":"The body took too long to arrive\.","code":"BODY_TIMEOUT"\}\n$/,
      asked,
    );
    t.match(answer, /\r\nConnection: close\r\n/i, asked);
  }
});

t.test('a body of a refused request ends with its connection', async (t) => {
  for (const head of ['GET /api/v1/health HTTP/1.1', 'POST /api/v1/users HTTP/1.1', 'POST /nowhere HTTP/1.1'])
    t.match(await trickle(t, [head]), /^HTTP\/1\.1 (200|401|404) /, head);
});
