import type { Connection, Provider } from '../../index.ts';
import { type Command, UsageError } from '../command.ts';
import { findUser } from '../find-user.ts';
import { formatOption, printRows, type Row } from '../table.ts';

export const providers: readonly Provider[] = ['activitynet', 'devicemaker'];
/** The option for a provider. */
export const providerOption = {
  type: 'string',
  value: 'NAME',
  description: providers.join(' or '),
  choices: providers,
} as const;

/** The provider with a name. @throws UsageError */
export function providerOf(name: string): Provider {
  const found = providers.find((provider) => provider === name);
  if (found === undefined) throw new UsageError(`The provider is one of ${providers.join(', ')}.`);
  return found;
}

export const connect: Command = {
  name: 'connect',
  summary: "Show a user's connections, or make a link that connects the user",
  usage: '<user>',
  arity: [1, 1],
  options: {
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
  notes: `A link is valid once, for 15 minutes, and only for this user: whoever consents is connected.`,
  examples: ['pulsebus connect 42', 'pulsebus connect 42 --provider activitynet'],
  async run(context) {
    const { args, client, values, output, signal } = context;
    const user = await findUser(client(), args[0] ?? '', signal);
    const provider = values.text('provider');
    if (provider !== undefined) {
      const redirect = values.text('redirect');
      const link = await client().connect.authorize(
        {
          provider: providerOf(provider),
          user_id: user.id,
          ...(redirect === undefined ? {} : { redirect_uri: redirect }),
        },
        { signal },
      );
      return output.line(link.authorization_url);
    }
    const connections = await client().users.connections({ user_id: user.id }, { signal });
    printRows(context, connections.map(rowOf), connections);
    for (const name of providers)
      if (!connections.some((one) => one.provider === name && one.status === 'active'))
        output.note(`Not connected to ${name}: pulsebus connect ${args[0]} --provider ${name}`);
  },
};

function rowOf({ provider, status, provider_user_id, last_synced_at, created_at }: Connection): Row {
  return { provider, status, account: provider_user_id, last_synced_at, created_at };
}
