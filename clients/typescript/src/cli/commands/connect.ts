import { type Connection, type Provider, providers, type User } from '../../index.ts';
import type { TitleOf } from '../../source-text.ts';
import { type Command, type Context, UsageError } from '../command.ts';
import { findUser } from '../find-user.ts';
import { providerTitles } from '../provider-titles.ts';
import { formatOption, isTable, printRows, type Row } from '../table.ts';

/** The option for a provider. */
export const providerOption = {
  type: 'string',
  value: 'NAME',
  description: providers.join(' or '),
  choices: providers,
} as const;

/** The provider with a name or a title. @throws UsageError */
export async function providerOf(context: Context, name: string): Promise<Provider> {
  const titleOf = await providerTitles(context);
  const found = providers.find((one) => [one, bare(titleOf(one))].includes(bare(name)));
  if (found !== undefined) return found;
  const shown = providers.map((one) => `${one} (${titleOf(one)})`);
  throw new UsageError(`The provider is one of ${shown.join(', ')}.`);
}

const bare = (text: string) => text.toLowerCase().replace(/\W/g, '');

export const connect: Command = {
  name: 'connect',
  summary: "Show a user's connections, or make a link that connects the user",
  usage: '<user>',
  arity: [1, 1],
  options: {
    link: { type: 'boolean', description: 'prints a link to the connect page, with all providers' },
    provider: {
      ...providerOption,
      description: `prints a link to this provider: ${providerOption.description}`,
    },
    redirect: {
      type: 'string',
      value: 'URL',
      description: 'where the browser goes afterwards: one of CONNECT_REDIRECTS',
    },
    format: formatOption,
  },
  notes: `A link is for this user only: whoever consents is connected. That of the connect page works in the first browser that agrees,\nwithin 30 minutes; that of a provider works once, within 15 minutes.`,
  examples: [
    'pulsebus connect 42',
    'pulsebus connect 42 --link',
    `pulsebus connect 42 --provider ${providers[0]}`,
  ],
  async run(context) {
    const { args, client, signal, output } = context;
    const user = await findUser(client(), args[0] ?? '', signal);
    const link = await linkFor(context, user);
    return link === null ? showConnections(context, user) : output.line(link);
  },
};

/** The link that was asked for; null without such an option. */
async function linkFor(context: Context, { id: user_id }: User): Promise<string | null> {
  const { client, values, signal } = context;
  const [redirect, provider] = [values.text('redirect'), values.text('provider')];
  const query = { user_id, ...(redirect === undefined ? {} : { redirect_uri: redirect }) };
  if (provider !== undefined && values.flag('link'))
    throw new UsageError('--link and --provider exclude each other.');
  if (values.flag('link')) return (await client().connect.createSession(query, { signal })).url;
  if (provider === undefined) return null;
  const asked = { ...query, provider: await providerOf(context, provider) };
  return (await client().connect.authorize(asked, { signal })).authorization_url;
}

async function showConnections(context: Context, { id: user_id }: User): Promise<void> {
  const { client, signal, output } = context;
  const connections = await client().users.connections({ user_id }, { signal });
  const titleOf = await providerTitles(context);
  const rows = connections.map(rowOf);
  printRows(context, isTable(context) ? rows.map(titled(titleOf)) : rows, connections);
  for (const name of providers)
    if (!connections.some((one) => one.provider === name && one.status === 'active'))
      output.note(
        `Not connected to ${titleOf(name)}. A link: pulsebus connect ${user_id} --provider ${name}`,
      );
}

/** A row with the name of its provider that people read. */
export const titled =
  (titleOf: TitleOf) =>
  (row: Row): Row => ({ ...row, provider: titleOf(String(row.provider)) });

function rowOf({ provider, status, provider_user_id, last_synced_at, created_at }: Connection): Row {
  return { provider, status, account: provider_user_id, last_synced_at, created_at };
}
