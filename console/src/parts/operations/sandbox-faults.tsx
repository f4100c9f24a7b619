import { useState } from 'preact/hooks';
import { providers } from '../../../../clients/typescript/src/index.ts';
import { endFault, type Fault, listFaults, startFault } from '../../faults.ts';
import { useRepeated, useResource } from '../../resource.ts';
import { titleOf } from '../../titles.ts';
import { Action } from '../action.tsx';
import { Empty, Loaded } from '../states.tsx';
import { Table } from '../table.tsx';
import { faultKinds } from './fault-kinds.ts';

const everyMs = 5000;

/** The faults of the sandbox: the active ones, and a choice of one to start. */
export function SandboxFaults() {
  const faults = useResource('faults', listFaults);
  useRepeated(everyMs, faults.reload);
  return (
    <section aria-labelledby="faults">
      <h2 id="faults">Faults of the sandbox</h2>
      <p>
        The simulated providers misbehave on demand. A fault lasts until it is ended, or the sandbox stops.
      </p>
      <Loaded of={faults} what="faults">
        {(list) =>
          list.length === 0 ? (
            <Empty>No fault is active: the simulated providers work as they should.</Empty>
          ) : (
            <ActiveFaults list={list} changed={faults.reload} />
          )
        }
      </Loaded>
      <StartFault changed={faults.reload} />
    </section>
  );
}

interface Changing {
  readonly changed: () => void;
}

function ActiveFaults({ list, changed }: Changing & { list: readonly Fault[] }) {
  return (
    <Table title="Active faults" head={['Fault', 'Provider', 'Occurred', 'Actions']}>
      {list.map(({ id, kind, provider, hits }) => (
        <tr key={id}>
          <td>{kind}</td>
          <td>{provider === null ? 'all' : titleOf(provider)}</td>
          <td>{hits.toLocaleString()} times</td>
          <td>
            <Action run={() => endFault(id).then(changed)}>
              End<span class="hidden"> the fault {kind}</span>
            </Action>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function StartFault({ changed }: Changing) {
  const [kind, setKind] = useState('error');
  const [provider, setProvider] = useState('');
  return (
    <div class="row">
      <label>
        Fault
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
          {Object.entries(faultKinds).map(([name, meaning]) => (
            <option key={name} value={name}>
              {name}: {meaning}
            </option>
          ))}
        </select>
      </label>
      <label>
        Provider
        <select value={provider} onChange={(event) => setProvider(event.currentTarget.value)}>
          <option value="">all</option>
          {providers.map((one) => (
            <option key={one} value={one}>
              {titleOf(one)}
            </option>
          ))}
        </select>
      </label>
      <Action run={() => startFault(kind, provider === '' ? null : provider).then(changed)}>
        Start the fault
      </Action>
    </div>
  );
}
