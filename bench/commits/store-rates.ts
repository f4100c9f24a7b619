import type { Bench } from '../bench.ts';
import { dailiesOf, valuesPerDay } from '../ingest/bodies.ts';
import { createConnectedUsers } from '../ingest/connected-users.ts';
import { pushRequest } from '../ingest/send-push.ts';
import type { Product } from '../product.ts';
import type { Measure } from '../rounds.ts';

const senders = 8;
const daysPerRound = 2;

/** Values a second that a product stores of pushes of several senders. Each round sends other days, also the first one. */
export async function storeRate({ load }: Bench, product: Product): Promise<Measure> {
  const users = await createConnectedUsers(product, 'sender', senders);
  let day = 0;
  return async () => {
    const days = Array.from({ length: daysPerRound }, () => day++);
    const requests = days.flatMap((one) => users.map((user) => pushRequest(dailiesOf([user], one))));
    const bounds = { connections: senders, most_requests: requests.length };
    const { seconds } = await load.sendLoad({ url: product.url, requests }, bounds);
    return (requests.length * valuesPerDay) / seconds;
  };
}
