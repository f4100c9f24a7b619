import type { PlantedFault } from '../planted.ts';

const deletion = 'test/flow/project-deletion.test.ts';
const test = 'test/services/timeseries/retention-rules.test.ts';

/** Faults of the retention rules of projects, and of the deletion of a project with its users. */
export const retention: readonly PlantedFault[] = [
  {
    kind: 'tenant',
    promise: 'The rule of a project is carried out for its own users.',
    file: 'services/users/queries/select-users-in-project.ts',
    before: 'where project_id = $1 and deleted_at',
    after: "where $1 <> '' and deleted_at",
    test,
  },
  {
    kind: 'tenant',
    promise: 'Events are deleted of the users of the project.',
    file: 'services/timeseries/removal/queries/forget-of-users.ts',
    before: 'where user_id = any($1::uuid[]) and local_date < $2::date\n      limit',
    after: 'where $1::uuid[] is not null and local_date < $2::date\n      limit',
    test,
  },
  {
    kind: 'tenant',
    promise: 'Values of slots are deleted of the users of the project.',
    file: 'services/timeseries/removal/queries/forget-of-users.ts',
    before: 'epoch_part where user_id = any($1::uuid[]) and',
    after: 'epoch_part where $1::uuid[] is not null and',
    test,
  },
  {
    kind: 'erasure',
    promise: 'The stricter of the rules of the installation and the project holds.',
    file: 'services/timeseries/removal/kept-days.ts',
    before: 'return a > b ? a : b;',
    after: 'return a < b ? a : b;',
    test,
  },
  {
    kind: 'value',
    promise: 'A preview counts the intervals of the hours before those that are old on some clocks.',
    file: 'services/timeseries/removal/queries/count-old.ts',
    before: "bucket < k.midnight - interval '18 hours')",
    after: "bucket < k.midnight - interval '19 hours')",
    test,
  },
  {
    kind: 'erasure',
    promise: 'Tracks have no heart rates that the rule does not keep.',
    file: 'services/timeseries/removal/queries/forget-of-users.ts',
    before: "const trackColumns = ['heart_rate', ",
    after: 'const trackColumns = [',
    test,
  },
  {
    kind: 'order',
    promise: 'One process works on a pass.',
    file: 'services/timeseries/removal/queries/claim-retention.ts',
    before: "for update skip locked')).length > 0",
    after: "for update skip locked')).length >= 0",
    test,
  },
  {
    kind: 'erasure',
    promise: 'A store leaves out events that the rule does not keep.',
    file: 'services/timeseries/records/store-other.ts',
    before: 'local_date < eventsFrom',
    after: 'local_date > eventsFrom',
    test,
  },
  {
    kind: 'secret',
    promise: 'A key of a project that is being deleted is refused.',
    file: 'services/auth/queries/admit.ts',
    before: 'on p.id = k.project_id and p.deleting_at is null',
    after: 'on p.id = k.project_id',
    test: deletion,
  },
  {
    kind: 'secret',
    promise: 'A user token of a project that is being deleted is refused.',
    file: 'services/auth/queries/admit.ts',
    before: 'where f.expires_at > now() and p.deleting_at is null',
    after: 'where f.expires_at > now()',
    test: deletion,
  },
  {
    kind: 'erasure',
    promise: 'A project with users is closed before they are deleted.',
    file: 'services/users/queries/close-project.ts',
    before: 'users === 0 || withUsers',
    after: 'users === 0',
    test: deletion,
  },
  {
    kind: 'erasure',
    promise: 'The counts of a deleted project are deleted.',
    file: 'services/auth/project-deletion.ts',
    before: "  await call('users.forgetProject', { project_id: id });\n",
    after: '',
    test: deletion,
  },
];
