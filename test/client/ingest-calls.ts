import type { Pulsebus } from '../../clients/typescript/src/index.ts';
import { jobIdOf } from '../../contracts/deliveries/jobs.ts';
import type { ProviderName } from '../../providers/all.ts';
import { type Calling, type Clients, expectFailure } from './calling.ts';

/** Calls each operation by which data arrives, and those of deliveries. */
export async function callIngest(clients: Clients, calling: Calling): Promise<void> {
  await callDeviceMaker(clients);
  await callActivityNet(clients, calling);
  await callPhones(clients);
  await callFiles(clients);
  await callPulled(clients);
}

const sender = { 'devicemaker-client-id': 'sandbox-devicemaker' };

async function callDeviceMaker({ anyone, developer, pulsebus }: Clients) {
  const secret = await secretOf(developer, 'devicemaker');
  await anyone.devicemakerIngest.push({ ...sender, dailies: [] });
  await anyone.devicemakerIngest.pushAtSecretAddress({ ...sender, secret, dailies: [] });
  await anyone.devicemakerIngest.ping({ ...sender, dailies: [] });
  await anyone.devicemakerIngest.pingAtSecretAddress({ ...sender, secret, dailies: [] });
  const [delivery] = await pulsebus.deliveries.list({ limit: 1, status: 'done' }).toArray(1);
  await pulsebus.deliveries.received({ period: 'hour' });
  await developer.deliveries.overview();
  await developer.deliveries.providers();
  await pulsebus.deliveries.list({ limit: 1, status: 'done', provider: 'devicemaker' });
  const delivery_id = delivery?.id ?? '';
  await pulsebus.deliveries.get({ delivery_id });
  await pulsebus.deliveries.body({ delivery_id, limit: 100 });
  await pulsebus.deliveries.replay({ delivery_id });
  const request = { provider: 'devicemaker', from: '2100-01-01' } as const;
  const { id: run_id } = await developer.deliveries.startReprocess(request);
  await developer.deliveries.reprocessStatus({ run_id });
  await developer.deliveries.cancelReprocess({ run_id });
  for (const state of ['waiting', 'dead'] as const) await pulsebus.deliveries.listJobs({ state, limit: 5 });
  await pulsebus.deliveries.retryJob({ job_id: jobIdOf('auth.cleaning', '') });
}

async function callActivityNet({ anyone, developer }: Clients, { settings }: Calling) {
  const secret = await secretOf(developer, 'activitynet');
  const verify_token = settings.ACTIVITYNET_VERIFY_TOKEN ?? '';
  const challenge = {
    'hub.mode': 'subscribe',
    'hub.challenge': 'a-challenge',
    'hub.verify_token': verify_token,
  } as const;
  await anyone.activitynetIngest.verify(challenge);
  await anyone.activitynetIngest.verifyAtSecretAddress({ ...challenge, secret });
  const event = { object_type: 'activity', object_id: 1, aspect_type: 'create', owner_id: 1 };
  await anyone.activitynetIngest.receive(event);
  await anyone.activitynetIngest.receiveAtSecretAddress({ ...event, secret });
}

async function callPhones({ anyone, developer, pulsebus }: Clients) {
  const { id: user_id } = await pulsebus.users.create();
  await pulsebus.phoneIngest.sync({ user_id, provider: 'apple', data: { records: [] } });
  await pulsebus.phoneIngest.logs({ user_id, provider: 'apple', events: [] });
  const { code } = await developer.phoneIngest.createCode({ user_id });
  const { refresh_token } = await anyone.phoneIngest.redeemCode({ code });
  await anyone.phoneIngest.refreshToken({ refresh_token });
}

async function callFiles({ pulsebus }: Clients) {
  const { id: user_id } = await pulsebus.users.create();
  const file = new Blob(['type,timestamp,value\nheart_rate,2026-01-01T08:00:00Z,60\n']);
  const { id: import_id } = await pulsebus.fileImport.create({ user_id, file });
  await pulsebus.fileImport.list({ user_id });
  await pulsebus.fileImport.get({ user_id, import_id });
  await pulsebus.fileImport.cancel({ user_id, import_id });
}

// Some providers sign their notifications, which the client cannot. The body of the other names nothing.
async function callPulled({ anyone, developer }: Clients) {
  const signed = await secretOf(developer, 'googlehealth');
  await expectFailure(401, anyone.pullIngest.receiveGooglehealth());
  await expectFailure(401, anyone.pullIngest.receiveGooglehealthAtSecretAddress({ secret: signed }));
  const whoop = await secretOf(developer, 'whoop');
  await expectFailure(401, anyone.pullIngest.receiveWhoop());
  await expectFailure(401, anyone.pullIngest.receiveWhoopAtSecretAddress({ secret: whoop }));
  const ofPolar = await secretOf(developer, 'polar');
  await expectFailure(401, anyone.pullIngest.receivePolar());
  await expectFailure(401, anyone.pullIngest.receivePolarAtSecretAddress({ secret: ofPolar }));
  const ofWatch = await secretOf(developer, 'suunto');
  await expectFailure(401, anyone.pullIngest.receiveSuunto());
  await expectFailure(401, anyone.pullIngest.receiveSuuntoAtSecretAddress({ secret: ofWatch }));
  const ofRing = await secretOf(developer, 'oura');
  const check = { verification_token: 'wrong', challenge: '1' };
  await expectFailure(403, anyone.pullIngest.probeOura(check));
  await expectFailure(403, anyone.pullIngest.probeOuraAtSecretAddress({ secret: ofRing, ...check }));
  await expectFailure(401, anyone.pullIngest.receiveOura());
  await expectFailure(401, anyone.pullIngest.receiveOuraAtSecretAddress({ secret: ofRing }));
  const secret = await secretOf(developer, 'withings');
  await anyone.pullIngest.probeWithings();
  await anyone.pullIngest.probeWithingsAtSecretAddress({ secret });
  await anyone.pullIngest.receiveWithings();
  await anyone.pullIngest.receiveWithingsAtSecretAddress({ secret });
}

async function secretOf(developer: Pulsebus, provider: ProviderName): Promise<string> {
  const { providers } = await developer.deliveries.status();
  const [address = ''] = Object.values(providers[provider].webhook_addresses ?? {});
  return address.split('/').at(-1) ?? '';
}
