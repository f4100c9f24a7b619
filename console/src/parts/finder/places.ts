import type { Permission } from '../../../../domain/access.ts';
import { can } from '../../session.ts';

interface Place {
  readonly name: string;
  /** Other words that find it. */
  readonly other?: string;
  readonly kind: 'Page' | 'Action';
  readonly to: string;
  readonly needs: Permission;
}

const places: readonly Place[] = [
  { name: 'Home', other: 'overview status health', kind: 'Page', to: '/', needs: 'status.read' },
  { name: 'Users', other: 'people', kind: 'Page', to: '/users', needs: 'users.list' },
  {
    name: 'Freshness',
    other: 'late stale missing incidents',
    kind: 'Page',
    to: '/freshness',
    needs: 'users.list',
  },
  { name: 'Deliveries', other: 'received raw', kind: 'Page', to: '/deliveries', needs: 'deliveries.read' },
  {
    name: 'Dead letters',
    other: 'failed deliveries',
    kind: 'Page',
    to: '/deliveries?status=dead',
    needs: 'deliveries.read',
  },
  { name: 'Jobs', other: 'backfill waiting', kind: 'Page', to: '/jobs', needs: 'deliveries.read' },
  { name: 'Dead jobs', other: 'failed', kind: 'Page', to: '/jobs?state=dead', needs: 'deliveries.read' },
  { name: 'Webhooks', other: 'endpoints events', kind: 'Page', to: '/webhooks', needs: 'webhooks.read' },
  {
    name: 'Failing endpoints',
    other: 'webhooks',
    kind: 'Page',
    to: '/webhooks?state=failed',
    needs: 'webhooks.read',
  },
  {
    name: 'Destinations',
    other: 'copies warehouse parquet bucket',
    kind: 'Page',
    to: '/destinations',
    needs: 'destinations.read',
  },
  { name: 'Providers', other: 'quota credentials', kind: 'Page', to: '/providers', needs: 'status.read' },
  {
    name: 'Developers',
    other: 'api keys applications audit',
    kind: 'Page',
    to: '/developers',
    needs: 'credentials',
  },
  { name: 'Members', other: 'roles invitations projects', kind: 'Page', to: '/members', needs: 'members' },
  {
    name: 'Account',
    other: 'password passkey authenticator units',
    kind: 'Page',
    to: '/account',
    needs: 'account',
  },
  { name: 'Create a user', kind: 'Action', to: '/users?create=yes', needs: 'users.write' },
  { name: 'Create an API key', kind: 'Action', to: '/developers', needs: 'credentials' },
  { name: 'Add a webhook endpoint', kind: 'Action', to: '/webhooks', needs: 'webhooks.write' },
  {
    name: 'Add a destination',
    kind: 'Action',
    to: '/destinations?create=yes',
    needs: 'destinations.write',
  },
];

/** The pages and actions that the role permits. */
export const shownPlaces = () => places.filter(({ needs }) => can(needs));
