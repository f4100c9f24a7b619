// The endpoints of the bench, in a process of their own. The path says how one answers: at once, with 500, after 10 s, or
// never. Of requests that are answered at once the time since the change was recorded is kept.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { answerParent, listenLocally } from '../parent.ts';

const slowMs = 10_000;
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

answerParent({ listen: () => listenLocally(server), times: taken }, () => server.closeAllConnections());

function taken(): number[] {
  const all = times;
  times = [];
  return all;
}
