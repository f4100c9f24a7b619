import type { Queryable, Statement } from '../../../mixins/database/database.ts';

const raise: Statement = {
  name: 'deliveries.raise_normaliser_version',
  text: `
    insert into deliveries.normaliser as held (provider, version) values ($1, $2)
    on conflict (provider) do update set version = excluded.version where held.version < excluded.version
    returning exists (select from deliveries.delivery where provider = $1 and state = 'done') as has_deliveries`,
};

/** Notes a normaliser version. Returns whether it is newer than the noted one and the provider has kept deliveries. */
export async function raiseNormaliserVersion(
  transaction: Queryable,
  provider: string,
  version: number,
): Promise<boolean> {
  const [row] = await transaction.query<{ has_deliveries: boolean }>(raise, [provider, version]);
  return row?.has_deliveries ?? false;
}
