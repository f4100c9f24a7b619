import { fullRole, permissionsOf, restrictedRoles } from '../../runtime/bus/permissions.ts';

// The users of a NATS server, each with the permissions of its role, as its configuration states them.

/** A user of the bus. The password is quoted, or the name of a variable. */
export interface BusUser {
  readonly role: string;
  readonly password: string;
}

/** The part of a configuration that lists users: one for each role, and nobody else. */
export function usersConfiguration(users: readonly BusUser[], namespace: string): string {
  const roles = users.map(({ role }) => role);
  const entries = users.map(({ role, password }) => {
    const { publish, subscribe } = permissionsOf(role, namespace, roles);
    return [
      `    { user: "${role}", password: ${password}, permissions: {`,
      `      publish: { allow: [${listed(publish)}] }`,
      `      subscribe: { allow: [${listed(subscribe)}] } } }`,
    ].join('\n');
  });
  return `authorization {\n  users: [\n${entries.join('\n')}\n  ]\n}\n`;
}

/**
 * The users of the composed set-up, with passwords from the environment of the server: BUS_PASSWORD_API_GATEWAY. A new file
 * is written by `npm run generate`.
 */
export function composedUsersFile(): string {
  const users = [fullRole, ...restrictedRoles].map((role) => ({
    role,
    password: `$BUS_PASSWORD_${role.replaceAll('-', '_').toUpperCase()}`,
  }));
  return `# Generated from the contracts by npm run generate.\n${usersConfiguration(users, 'pulsebus')}`;
}

function listed(subjects: readonly string[]): string {
  return subjects.map((subject) => `\n        "${subject}"`).join('');
}
