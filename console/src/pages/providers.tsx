import { useEffect } from 'preact/hooks';
import type { ProviderSetup, ProviderStatus, Status } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { Badge } from '../parts/badge.tsx';
import { Copy } from '../parts/copy.tsx';
import { SandboxFaults } from '../parts/operations/sandbox-faults.tsx';
import { ProviderTitle } from '../parts/provider-title.tsx';
import { Loaded } from '../parts/states.tsx';
import { duration, Time } from '../parts/time.tsx';
import { useRepeated, useResource } from '../resource.ts';
import { Link } from '../router.tsx';
import { can, session } from '../session.ts';

const everyMs = 10_000;

/** The providers: what is missing, the addresses to register, the quota, and the faults of the sandbox. */
export function Providers() {
  const read = useResource('providers', readProviders);
  useRepeated(everyMs, read.reload);
  const isRead = read.data !== undefined;
  useEffect(() => {
    if (isRead) document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, [isRead]);
  return (
    <>
      <h1>Providers</h1>
      <Loaded of={read} what="providers">
        {({ providers, status }) => (
          <>
            {providers.map((one) => (
              <Provider key={one.provider} setup={one} status={status.providers[one.provider]} />
            ))}
            <SamplesOnDisk samples={status.samples} />
          </>
        )}
      </Loaded>
      {session.value?.sandbox === true && can('operations') && <SandboxFaults />}
    </>
  );
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2).toLocaleString()} MB`;

function SamplesOnDisk({ samples }: { samples: Status['samples'] }) {
  if (samples === null) return null;
  const { plain_bytes, compressed_bytes, chunks, compressed_chunks } = samples;
  return (
    <section aria-label="Samples on disk">
      <h2>Samples on disk</h2>
      <dl class="facts">
        <dt>Plain</dt>
        <dd>{megabytes(plain_bytes)}</dd>
        <dt>Compressed</dt>
        <dd>
          {megabytes(compressed_bytes)} in {compressed_chunks} of {chunks} chunks
        </dd>
      </dl>
    </section>
  );
}

async function readProviders(signal: AbortSignal) {
  const [providers, status] = await Promise.all([
    api.deliveries.providers({ signal }),
    api.deliveries.status({ signal }),
  ]);
  return { providers, status };
}

function Provider({ setup, status }: { setup: ProviderSetup; status: ProviderStatus }) {
  const { provider, title, configured, last_delivery_at, quota, connected_by } = setup;
  const isByApp = connected_by !== 'consent_page';
  return (
    <section id={provider} aria-label={title}>
      <h2>
        <ProviderTitle provider={provider} /> <Badge state={configured ? 'configured' : 'missing'} />
      </h2>
      <MissingSettings setup={setup} />
      <dl class="facts">
        {isByApp ? (
          <>
            <dt>Data</dt>
            <dd>
              {connected_by === 'app'
                ? 'comes from apps, which users connect with an invitation code'
                : 'comes in files, which are imported on the page of a user or by the API'}
            </dd>
          </>
        ) : (
          <Subscription setup={setup} />
        )}
        <Addresses setup={setup} />
        <dt>Last delivery</dt>
        <dd>{last_delivery_at === null ? 'none recently' : <Time at={last_delivery_at} />}</dd>
        <Work provider={provider} status={status} />
        {!isByApp && (
          <>
            <Requests status={status} />
            <dt>Reads left</dt>
            <dd>
              {quota === null
                ? 'no limit known'
                : `${quota.quarter_left} of ${quota.quarter_limit} in this quarter hour, ${quota.day_left} of ${quota.day_limit} today${quota.paused ? ', paused by the provider' : ''}`}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** What a state means that its name does not say. */
const notes: Readonly<Record<NonNullable<ProviderSetup['subscription']>['state'], string>> = {
  active: '',
  missing: '',
  off: '(the provider switched it off)',
  unknown: '(the provider could not be asked)',
  no_address: '(none is registered, because PUBLIC_URL is not https at a public host)',
};

/** What the provider reported last, where it can be asked, beside the settings. */
function Subscription({ setup: { subscription, subscription_configured } }: { setup: ProviderSetup }) {
  return (
    <>
      <dt>Webhook subscription</dt>
      <dd>
        {subscription_configured ? 'its settings are complete' : 'its settings are missing'}
        {subscription !== null && (
          <>
            {'; '}
            <Badge state={subscription.state} /> {notes[subscription.state]} since{' '}
            <Time at={subscription.since} />, checked <Time at={subscription.checked_at} />
          </>
        )}
      </dd>
    </>
  );
}

function MissingSettings({ setup: { missing_settings: names, title } }: { setup: ProviderSetup }) {
  if (names.length === 0) return null;
  return (
    <p class="state">
      Not set: <code>{names.join(', ')}</code>. Set {names.length === 1 ? 'it' : 'them'} to the values that{' '}
      {title} gave you, and restart.
    </p>
  );
}

function Addresses({ setup: { webhook_addresses: addresses, secret_address } }: { setup: ProviderSetup }) {
  return Object.entries(addresses ?? {}).map(([kind, address]) => [
    <dt key={kind}>Address of {kind}</dt>,
    <dd key={`${kind} address`} class="row">
      <Copy text={address} of={`the address of ${kind}`} />
      <details class="address">
        <summary>
          Show<span class="hidden"> the address of {kind}</span>
        </summary>
        <input value={address} readOnly aria-label={`Address of ${kind}`} />
      </details>
      {!secret_address && (
        <span class="faint">Anybody can send to it: the provider has no secret address.</span>
      )}
    </dd>,
  ]);
}

function Work({ provider, status: { deliveries } }: { provider: string; status: ProviderStatus }) {
  const { waiting, oldest_waiting_seconds: oldest, dead } = deliveries;
  return (
    <>
      <dt>Deliveries waiting</dt>
      <dd>
        <Link to={`/deliveries?status=ready&provider=${provider}`}>{waiting.toLocaleString()}</Link>
        {waiting > 0 && oldest !== null && `, oldest ${duration(oldest)}`}
      </dd>
      <dt>Dead letters</dt>
      <dd>
        <Link to={`/deliveries?status=dead&provider=${provider}`}>{dead.toLocaleString()}</Link>
      </dd>
    </>
  );
}

function Requests({ status: { answers } }: { status: ProviderStatus }) {
  return (
    <>
      <dt>Requests in the last {answers.minutes} min</dt>
      <dd>
        {answers.requests}, {answers.failed} failed, {answers.rejected} rejected
      </dd>
    </>
  );
}
