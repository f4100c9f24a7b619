import t from 'tap';
import { type Permission, permissions, type Role, roles } from '../../domain/access.ts';

/** What each role may, written a second time: a change of this list is a decision. */
const everyone: readonly Permission[] = [
  'account',
  'imports.read',
  'mcp',
  'providers.read',
  'status.read',
  'users.list',
  'users.read',
];
const expected: Readonly<Record<Exclude<Role, 'admin' | 'developer'>, readonly Permission[]>> = {
  support: [...everyone, 'connections.link', 'deliveries.read'],
  analyst: [...everyone, 'changes.read', 'data.export', 'data.read'],
};

const permitted = (role: Role) =>
  Object.entries(permissions).flatMap(([name, rule]) => (rule.roles.includes(role) ? [name] : []));

t.test('support sees no health data and no raw bodies, an analyst changes nothing', (t) => {
  t.same(permitted('support').sort(), [...expected.support].sort());
  t.same(permitted('analyst').sort(), [...expected.analyst].sort());
  t.end();
});

t.test('a developer does what an administrator does, but for members, settings, retention and audit', (t) => {
  const admin = permitted('admin');
  t.same(admin.filter((name) => !permitted('developer').includes(name)).sort(), [
    'accesses.read',
    'audit',
    'members',
    'project.settings',
    'retention',
  ]);
  for (const role of roles)
    t.same(
      permitted(role).filter((name) => !admin.includes(name)),
      [],
    );
  t.end();
});
