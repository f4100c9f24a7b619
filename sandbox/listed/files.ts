import type { SeriesType } from '../../domain/records/series.ts';
import { type FitPoint, fitActivity } from '../files/fit-activity.ts';
import { type Route, route } from '../server/http.ts';
import { hashOf } from '../simulation/random.ts';
import type { Described } from './described.ts';
import type { ListedAccount, ListedRecord, ListedWorld } from './listed.ts';
import { failure, recordsIn } from './records.ts';

/** The address of the file of a record. A changed record has another file. */
export function fileAddressOf(
  { spec, url }: ListedWorld,
  { id: account, versions }: ListedAccount,
  { id, startMs }: Pick<ListedRecord, 'id' | 'startMs'>,
): string {
  const secret = hashOf(`${account}/${id}/file`).toString(36);
  return `${url}/${spec.name}/files/${account}/${startMs}/${secret}-${versions[id] ?? 0}.fit`;
}

/** The files of records, which everybody can read who has their addresses. */
export function fileRoutes({ collections }: Described, world: ListedWorld): Route[] {
  const kinds = Object.entries(collections).filter(([, { file }]) => file !== undefined);
  if (kinds.length === 0) return [];
  const path = `/${world.spec.name}/files/:account/:start/:file`;
  return [
    route('GET', path, ({ params, path: own }) => {
      const account = world.own.accounts.find(({ id }) => id === params.account);
      const startMs = Number(params.start);
      if (account === undefined || !Number.isSafeInteger(startMs)) return failure(404, 'not found');
      const record = kinds
        .flatMap(([kind]) => recordsIn(world, account, kind, { startMs, endMs: startMs + 1 }))
        .find((one) => new URL(fileAddressOf(world, account, one)).pathname === own);
      if (record === undefined) return failure(404, 'not found');
      return { status: 200, bytes: fitOf(record, account.versions[record.id] ?? 0) };
    }),
  ];
}

const running = 1;

/** The fields of points by series. */
const pointFields: Readonly<Partial<Record<SeriesType, keyof FitPoint>>> = {
  heart_rate: 'heartRate',
  cadence: 'cadence',
  power: 'power',
  speed: 'speed',
};

/** The samples of a record along a street. A changed record lies higher. */
function fitOf({ startMs, endMs, samples }: ListedRecord, version: number): Uint8Array {
  const byTime = [...Map.groupBy(samples, ([, ms]) => ms)].toSorted(([a], [b]) => a - b);
  const points = byTime.map(([ms, values], index): FitPoint => {
    const place = { latitude: 48.1 + index * 0.0002, longitude: 11.5 + index * 0.0001 };
    const measured = values.flatMap(([type, , value]) => {
      const name = pointFields[type];
      return name === undefined ? [] : [[name, value]];
    });
    return {
      ms,
      ...place,
      altitude: 520 + version,
      distance: index * 42,
      ...Object.fromEntries(measured),
    };
  });
  const meters = points.at(-1)?.distance ?? 0;
  return fitActivity({
    startMs,
    endMs,
    sport: running,
    offsetMinutes: 0,
    kilocalories: 400,
    meters,
    points,
  });
}
