import type { Figures } from './figures.ts';
import type { Step } from './problems.ts';

/** One step of the set-up, and whether it is done. */
export interface SetupStep extends Step {
  readonly isDone: boolean;
  readonly note: string;
}

/** The steps of a new installation, in their order. What the role cannot see is left out by its permission. */
export function stepsOf(figures: Figures, hasSandbox: boolean): readonly SetupStep[] {
  const { overview, keys, endpoints } = figures;
  const connections = (overview.connections ?? []).reduce((sum, { count }) => sum + count, 0);
  return [
    credentials(figures, hasSandbox),
    {
      text: 'Make an API key',
      note: 'Your application calls the API with it.',
      to: '/developers',
      needs: 'credentials',
      isDone: (keys ?? 0) > 0,
    },
    {
      text: 'Create a user',
      note: 'One for each person whose data you collect.',
      to: '/users?create=yes',
      needs: 'users.write',
      isDone: (overview.users ?? 0) > 0,
    },
    {
      text: 'Connect an account',
      note: 'The page of a user makes a link to the connect page.',
      to: '/users',
      needs: 'users.list',
      isDone: connections > 0,
    },
    {
      text: 'Add a webhook endpoint',
      note: 'Your application learns of new data at once.',
      to: '/webhooks',
      needs: 'webhooks.read',
      isDone: (endpoints ?? []).length > 0,
    },
  ];
}

function credentials({ providers }: Figures, hasSandbox: boolean): SetupStep {
  const own = providers.filter(
    ({ connected_by, configured }) => connected_by === 'consent_page' && configured,
  );
  return {
    text: 'Set the credentials of a provider',
    note: hasSandbox
      ? 'Simulated providers are on. Real ones need credentials of your own.'
      : 'The maker of the devices gives them to your company.',
    to: '/providers',
    needs: 'status.read',
    isDone: own.length > 0,
  };
}
