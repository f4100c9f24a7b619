import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { MessageLease } from './claim-messages.ts';

/** A test message that the caller has leased. */
export type TestLease = Omit<MessageLease, 'lane' | 'crashes' | 'pause_ms' | 'failing_since' | 'is_repeated'>;

const statement: Statement = {
  name: 'webhooks.insert_test',
  text: `
    with message as (
      insert into webhooks.message (endpoint_id, type, recorded_at, leased, attempt, crashes, run_at)
      select id, 'test.ping', now(), true, 1, 1, now() + $2 * interval '1 ms' from webhooks.endpoint where id = $1
      returning id, endpoint_id, type, recorded_at, attempt, failures)
    select m.*, e.url, false as include_data, e.secret, null as change_id, null as change,
      case when e.former_until > now() then e.former_secret end as former_secret
    from message m join webhooks.endpoint e on e.id = m.endpoint_id`,
};

/** Inserts a test message, leased to the caller. Undefined if the endpoint does not exist. */
export async function insertTest(
  transaction: Queryable,
  endpointId: string,
  leaseMs: number,
): Promise<TestLease | undefined> {
  return (await transaction.query<TestLease>(statement, [endpointId, leaseMs]))[0];
}

/** The tests of an endpoint within a minute. */
export async function countTests(transaction: Queryable, endpointId: string): Promise<number> {
  const [row] = await transaction.query<{ n: number }>(
    `select count(*)::int as n from webhooks.message
     where endpoint_id = $1 and created_at > now() - interval '1 minute' and change_id is null`,
    [endpointId],
  );
  return row?.n ?? 0;
}
