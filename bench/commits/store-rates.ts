import type { Bench } from '../bench.ts';
import { dailiesOf, valuesPerDay } from '../ingest/bodies.ts';
import type { ConnectedUser } from '../ingest/connected-users.ts';
import { pushRequest } from '../ingest/send-push.ts';
import type { Measure } from '../rounds.ts';

/** How many users send at once. */
export const senders = 8;
const daysPerRound = 2;

/** Values a second that a gateway stores of pushes of several users. Each round sends other days, also the first one. */
export function storeRate({ load }: Bench, url: string, users: readonly ConnectedUser[]): Measure {
  let day = 0;
  return async () => {
    const days = Array.from({ length: daysPerRound }, () => day++);
    const requests = days.flatMap((one) => users.map((user) => pushRequest(dailiesOf([user], one))));
    const bounds = { connections: senders, most_requests: requests.length };
    const { seconds } = await load.sendLoad({ url, requests }, bounds);
    return (requests.length * valuesPerDay) / seconds;
  };
}
