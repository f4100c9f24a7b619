import type { Overview } from '../../../../clients/typescript/src/index.ts';
import type { Permission } from '../../../../domain/access.ts';
import { Link } from '../../router.tsx';
import { can } from '../../session.ts';
import { duration } from '../time.tsx';

/** One number, and the list that it leads to. `value` is null if its service does not answer. */
interface NumberOf {
  readonly to: string;
  readonly needs: Permission;
  readonly name: string;
  readonly value: string | null;
  readonly note?: string;
  readonly isBad?: boolean;
}

/** The numbers of the installation. Each leads to its list. */
export function Numbers({ overview }: { overview: Overview }) {
  return (
    <ul class="numbers" aria-label="Numbers">
      {numbersOf(overview).map((one) => (
        <li key={one.name}>
          {can(one.needs) ? (
            <Link to={one.to}>
              <Shown {...one} />
            </Link>
          ) : (
            <div>
              <Shown {...one} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function Shown({ name, value, note = '', isBad = false }: NumberOf) {
  return (
    <>
      <span class="faint numbers-note">{name}</span>
      <strong class={isBad ? 'problem' : ''}>{value ?? 'unknown'}</strong>
      <span class="faint numbers-note">{value === null ? 'its service does not answer' : note}</span>
    </>
  );
}

function numbersOf(overview: Overview): readonly NumberOf[] {
  const { users, connections, webhook_endpoints: endpoints } = overview;
  const active = connections?.filter(({ status }) => status === 'active') ?? [];
  const connected = active.reduce((sum, { count }) => sum + count, 0);
  const more = (name: 'dead_deliveries' | 'dead_jobs') =>
    overview.approximate.includes(name) ? ' or more' : '';
  const ofDeliveries = (status: string) => ({
    to: `/deliveries?status=${status}`,
    needs: 'deliveries.read' as const,
  });
  const ofJobs = (state: string) => ({ to: `/jobs?state=${state}`, needs: 'deliveries.read' as const });
  return [
    {
      to: '/users',
      needs: 'users.list',
      name: 'Users',
      value: users?.toLocaleString() ?? null,
      note: connections === null ? '' : `${connected.toLocaleString()} connected accounts`,
    },
    {
      ...ofDeliveries('ready'),
      name: 'Oldest waiting delivery',
      value: waiting(overview.oldest_waiting_delivery_seconds),
    },
    {
      ...ofDeliveries('dead'),
      name: 'Dead letters',
      value: overview.dead_deliveries.toLocaleString() + more('dead_deliveries'),
      isBad: overview.dead_deliveries > 0,
    },
    {
      ...ofJobs('waiting'),
      name: 'Oldest waiting job',
      value: waiting(overview.oldest_waiting_job_seconds),
    },
    {
      ...ofJobs('dead'),
      name: 'Dead jobs',
      value: overview.dead_jobs.toLocaleString() + more('dead_jobs'),
      isBad: overview.dead_jobs > 0,
    },
    {
      to: '/webhooks?state=failed',
      needs: 'webhooks.read',
      name: 'Failing endpoints',
      value: endpoints?.failing.toLocaleString() ?? null,
      note: endpoints === null ? '' : `${endpoints.enabled} enabled, ${endpoints.disabled} not`,
      isBad: (endpoints?.failing ?? 0) > 0,
    },
  ];
}

const waiting = (seconds: number | null) => (seconds === null ? 'none' : duration(seconds));
