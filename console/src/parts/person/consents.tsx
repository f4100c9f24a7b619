import type { Consent } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { CursorList } from '../cursor-list.tsx';
import { ProviderTitle } from '../provider-title.tsx';
import { Empty } from '../states.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';

/** What a user agreed to, newest first. */
export function Consents({ userId, version }: { userId: string; version: number }) {
  return (
    <CursorList
      name={`consents ${userId}`}
      what="consents"
      version={version}
      load={(query, signal) => api.connect.consents({ user_id: userId, ...query, limit: 10 }, { signal })}
    >
      {(items) =>
        items.length === 0 ? (
          <Empty>There is no consent. An imported connection has none.</Empty>
        ) : (
          <Table title="Consents" head={['Provider', 'Agreed', 'Text', 'Withdrawn']}>
            {items.map((one) => (
              <Row key={one.id} consent={one} />
            ))}
          </Table>
        )
      }
    </CursorList>
  );
}

function Row({
  consent: { provider, text_version, language, agreed_at, withdrawn_at },
}: {
  consent: Consent;
}) {
  return (
    <tr>
      <td>
        <ProviderTitle provider={provider} />
      </td>
      <td>
        <Time at={agreed_at} />
      </td>
      <td>{text_version === null ? 'of the provider' : `version ${text_version}, ${language}`}</td>
      <td>{withdrawn_at === null ? 'no' : <Time at={withdrawn_at} />}</td>
    </tr>
  );
}
