import { until } from '../../support/until.ts';
import { type Playing, underFault } from '../plays.ts';
import { control, type Product, send, settled } from '../product.ts';
import type { Account, Descriptor, Disturbance } from '../scenarios.ts';
import { interrupt } from './interrupt.ts';
import { sweep } from './pulled.ts';

const copies = 5;

const newestWorkout = `
  select i.key, i.data_type from timeseries.item i join timeseries.workout w on w.id = any (i.record_ids)
  where i.user_id = $1 and w.user_id = $1 order by w.start_time desc limit 1`;

async function newestOf({ api }: Product, { userId }: Account) {
  const [row] = await api.database.query<{ key: string; data_type: string }>(newestWorkout, [userId]);
  if (row === undefined) throw new Error('the user has no workout');
  return row;
}

/** Further disturbances of a provider that lists records. */
export function listedTroubles(
  playing: Playing,
  genuine: Descriptor['genuine'],
  notifiesDeletions: boolean,
): NonNullable<Descriptor['more']> {
  const { provider, newData } = playing;
  return {
    // A notification comes several times at once while new data is read.
    parallel: {
      async play(product, account) {
        const post = await genuine(product, account);
        const sent = Array.from({ length: copies }, () => send(post));
        await newData(product, account);
        return (await Promise.all(sent)).filter((status) => status < 300).length === copies ? copies : 0;
      },
    },
    // The connections to the database end while notifications are processed.
    interrupted: {
      async play(product, account) {
        const sending = newData(product, account);
        const ended = await interrupt(product);
        await sending;
        await sweep(product);
        return ended;
      },
    },
    // Bodies that are no notifications come besides them.
    damaged: underFault(playing, { kind: 'garbage' }),
    ...(notifiesDeletions ? { deleted: deletion(provider, newData) } : {}),
  };
}

/** The user deletes the newest workout at the provider. */
function deletion(provider: string, newData: Playing['newData']): Disturbance {
  return {
    async play(product, account) {
      await newData(product, account);
      await settled(product);
      const { key, data_type } = await newestOf(product, account);
      const path = `/${provider}/control/people/${account.person}/${data_type}/${encodeURIComponent(key)}`;
      await control(product, 'DELETE', path);
      await product.sandbox.advance(60_000);
      await until(async () => (await newestOf(product, account)).key !== key);
      return 1;
    },
  };
}
