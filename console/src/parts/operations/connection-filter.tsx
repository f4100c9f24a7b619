import { providers } from '../../../../clients/typescript/src/index.ts';
import { location, setQuery } from '../../router.tsx';
import { titleOf } from '../../titles.ts';

const states = ['active', 'expired', 'revoked'] as const;

/** The filter of users by their connections, as the address has it. */
export function connectionFilter(query: URLSearchParams) {
  const provider = providers.find((one) => one === query.get('provider'));
  const connection_status = states.find((one) => one === query.get('state'));
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(connection_status === undefined ? {} : { connection_status }),
  };
}

/** Chooses users by the provider and the state of a connection. */
export function ConnectionFilter() {
  const { query } = location.value;
  const choices = [
    ['provider', 'Connected to', providers],
    ['state', 'Connection', states],
  ] as const;
  return choices.map(([name, title, values]) => (
    <label key={name}>
      {title}
      <select
        value={query.get(name) ?? ''}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value, page: '' })}
      >
        <option value="">any</option>
        {values.map((one) => (
          <option key={one} value={one}>
            {titleOf(one)}
          </option>
        ))}
      </select>
    </label>
  ));
}
