import { useState } from 'preact/hooks';
import type { Provider } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { titleOf } from '../../titles.ts';
import { Action } from '../action.tsx';
import { Copy } from '../copy.tsx';

interface ConnectLinkProps {
  readonly userId: string;
  readonly provider: Provider;
  /** The user has not been connected before. */
  readonly isAnew: boolean;
  /** The provider refused the access, which the connect page says. */
  readonly isEnded: boolean;
}

/** Makes a link to the connect page of one provider. */
export function ConnectLink({ userId, provider, isAnew, isEnded }: ConnectLinkProps) {
  const [link, setLink] = useState('');
  const reason = isEnded ? ({ reason: 'access_ended' } as const) : {};
  const make = async () =>
    setLink((await api.connect.createSession({ user_id: userId, providers: [provider], ...reason })).url);
  if (link === '')
    return (
      <Action run={make}>
        {isAnew ? 'Connect' : 'Connect again:'} {titleOf(provider)}
      </Action>
    );
  return (
    <>
      <p class="row">
        <a class="button" href={link} target="_blank" rel="noopener noreferrer">
          Open the connect page of {titleOf(provider)}
        </a>
        <Copy text={link} of="the address of the connect page" />
      </p>
      <p class="faint">
        Open it here, or send it to the user. It works for 30 minutes, in the first browser that agrees. This
        page shows the connection as soon as it is made.
      </p>
    </>
  );
}
