// The endpoints of the bench, in a process of their own. The path says how one answers: at once, with 500, after 10 s, or
// never. Of requests that are answered at once the time since the change was recorded is kept.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { answerParent } from '../parent.ts';

const slowMs = 10_000;
const Request = z.object({ kind: z.enum(['listen', 'times']) });
const Body = z.object({ timestamp: z.string() });
let times: number[] = [];

const server = createServer(async (req, res) => {
  const { timestamp } = Body.parse(await json(req));
  const way = req.url?.split('/')[1];
  if (way === 'silent') return;
  if (way === 'slow') await sleep(slowMs);
  if (way === 'ok') times.push(Date.now() - Date.parse(timestamp));
  res.writeHead(way === 'error' ? 500 : 200).end();
});

answerParent(
  (given) => (Request.parse(given).kind === 'listen' ? listen() : taken()),
  async () => server.closeAllConnections(),
);

async function listen() {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' ? address?.port : undefined };
}

function taken(): number[] {
  const all = times;
  times = [];
  return all;
}
