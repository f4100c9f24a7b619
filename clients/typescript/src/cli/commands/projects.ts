import type { Member, Project } from '../../index.ts';
import { type Command, type Context, type Option, UsageError } from '../command.ts';
import { formatOption, printRows } from '../table.ts';
import { retention, retentionOptions } from './retention.ts';

type Role = Member['role'];
const roles: readonly Role[] = ['admin', 'developer', 'support', 'analyst'];

const removalOptions = {
  'keep-keys': { type: 'string', value: 'ID,…', description: 'remove: API keys of the member that stay' },
} as const satisfies Readonly<Record<string, Option>>;

export const projects: Command = {
  name: 'projects',
  summary: 'List or create projects; list, add or remove members; change the retention rule',
  usage: '[list|create ID NAME|members|add EMAIL ROLE|remove EMAIL [--keep-keys ID,ID]|retention]',
  words: ['list', 'create', 'members', 'add', 'remove', 'retention'],
  arity: [0, 3],
  options: { format: formatOption, ...retentionOptions, ...removalOptions },
  notes: `It needs a developer's token as PULSEBUS_API_KEY. PULSEBUS_PROJECT names the project of all commands; a key belongs to one.
Roles: ${roles.join(', ')}. remove ends the API keys that the member made, except those of --keep-keys, and lists both.`,
  examples: [
    'pulsebus projects',
    "pulsebus projects create staging 'Coaching app, staging'",
    'PULSEBUS_PROJECT=staging pulsebus projects add grace@example.com support',
    'pulsebus projects retention --samples 730 --yes',
  ],
  async run(context) {
    const [word = 'list', ...rest] = context.args;
    const { auth } = context.client();
    const call = { signal: context.signal };
    if (word === 'list') return printProjects(context, await auth.listProjects(call));
    if (word === 'create') {
      const [id, name] = two(rest, 'create ID NAME');
      return printProjects(context, [await auth.createProject({ id, name }, call)]);
    }
    if (word === 'members') return printMembers(context, await auth.listMembers(call));
    if (word === 'add') {
      const [email, role] = two(rest, 'add EMAIL ROLE');
      return printMembers(context, [await auth.addMember({ email, role: roleIn(role) }, call)]);
    }
    if (word === 'remove') return remove(context, rest[0] ?? '');
    if (word === 'retention') return retention(context);
    throw new UsageError('projects is followed by list, create, members, add, remove or retention.');
  },
};

async function remove(context: Context, email: string): Promise<void> {
  const { auth } = context.client();
  const call = { signal: context.signal };
  const member = (await auth.listMembers(call)).find(
    (one) => one.email.toLowerCase() === email.toLowerCase(),
  );
  if (member === undefined) throw new UsageError(`The project has no member ${email}.`);
  const keep_keys = context.values.list('keep-keys');
  const removed = await auth.removeMember(
    { developer_id: member.developer_id, ...(keep_keys === undefined ? {} : { keep_keys }) },
    call,
  );
  const keys = removed.api_keys.map(({ id, name, is_kept }) => ({
    api_key: name,
    id,
    state: is_kept ? 'kept' : 'ended',
  }));
  printMembers(context, [removed]);
  if (keys.length > 0 && context.values.text('format') === undefined) printRows(context, keys, keys);
}

function printMembers(context: Context, members: readonly Member[]): void {
  const rows = members.map(({ email, role, is_confirmed, created_at }) => ({
    email,
    role,
    is_confirmed,
    created_at,
  }));
  printRows(context, rows, members);
}

function printProjects(context: Context, projects: readonly Project[]): void {
  const rows = projects.map(({ id, name, role, created_at }) => ({ id, name, role, created_at }));
  printRows(context, rows, projects);
}

function two(given: readonly string[], usage: string): [string, string] {
  const [first, second] = given;
  if (first === undefined || second === undefined) throw new UsageError(`Usage: projects ${usage}`);
  return [first, second];
}

function roleIn(text: string): Role {
  const role = roles.find((one) => one === text);
  if (role === undefined) throw new UsageError(`There is no role ${text}: it is one of ${roles.join(', ')}.`);
  return role;
}
