import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import t from 'tap';
import { parseAllDocuments } from 'yaml';
import { settingNames } from '../../config.ts';
import { metricTable } from '../../runtime/telemetry/metric-table.ts';
import { readComposed } from '../../stack/kubernetes/composed.ts';
import { type Manifest, manifests } from '../../stack/kubernetes/manifests.ts';
import { serviceNames } from '../../stack/processes/services.ts';

const folder = join(import.meta.dirname, '../../kubernetes');
const all = Object.values(manifests(serviceNames)).flat();

/** Checks a manifest against the schema of its kind, as Kubernetes has it. */
const validators: Readonly<Record<Manifest['kind'], (manifest: unknown) => { validate(): void }>> = {
  ConfigMap: (manifest) => new ConfigMap(manifest as ConfigMap),
  Deployment: (manifest) => new Deployment(manifest as Deployment),
  HorizontalPodAutoscaler: (manifest) => new HorizontalPodAutoscaler(manifest as HorizontalPodAutoscaler),
  Job: (manifest) => new Job(manifest as Job),
  NetworkPolicy: (manifest) => new NetworkPolicy(manifest as NetworkPolicy),
  PersistentVolumeClaim: (manifest) => new PersistentVolumeClaim(manifest as PersistentVolumeClaim),
  PodDisruptionBudget: (manifest) => new PodDisruptionBudget(manifest as PodDisruptionBudget),
  Service: (manifest) => new Service(manifest as Service),
};

function ofKind<K extends Manifest['kind']>(kind: K): Extract<Manifest, { kind: K }>[] {
  return all.filter((one): one is Extract<Manifest, { kind: K }> => one.kind === kind);
}

const nameOf = ({ metadata }: Manifest) => metadata?.name ?? '';

t.test(
  'every document, read as kubectl reads it, is valid for its kind and says what was written',
  async (t) => {
    for (const [file, written] of Object.entries(manifests(serviceNames))) {
      const documents = parseAllDocuments(readFileSync(join(folder, file), 'utf8'), { version: '1.1' });
      const read = documents.map((document) => document.toJS() as Manifest);
      t.strictSame(read, JSON.parse(JSON.stringify(written)), file);
      for (const manifest of read)
        t.doesNotThrow(() => validators[manifest.kind](manifest).validate(), `${file}: ${nameOf(manifest)}`);
      const values = read.flatMap((one) => (one.kind === 'ConfigMap' ? Object.values(one.data ?? {}) : []));
      t.strictSame(
        values.filter((value) => typeof value !== 'string'),
        [],
        'settings are strings',
      );
    }
    t.strictSame(readdirSync(folder).sort(), Object.keys(manifests(serviceNames)).sort());
  },
);

t.test('the validator refuses wrong manifests', async (t) => {
  const [deployment] = ofKind('Deployment');
  const wrongKind = { ...deployment, kind: 'Deploy' };
  const withoutSelector = { ...deployment, spec: { template: deployment?.spec?.template } };
  const text = { ...deployment, spec: { ...deployment?.spec, replicas: 'two' } };
  for (const wrong of [wrongKind, withoutSelector, text])
    t.throws(() => validators.Deployment(wrong).validate());
});

// container-entry.sh makes URLs of the hosts
const known = [...settingNames, 'DATABASE_HOST', 'DATABASE_READ_HOST', 'BUS_HOST'];

t.test(
  'every service has a deployment with its secrets, a disruption budget and an autoscaler',
  async (t) => {
    const { containers, settings } = readComposed();
    for (const kind of ['Deployment', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'] as const)
      t.same(ofKind(kind).map(nameOf).sort(), [...serviceNames].sort(), kind);
    for (const deployment of ofKind('Deployment')) {
      const name = nameOf(deployment);
      const pod = deployment.spec?.template.spec;
      const mounted = pod?.containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath) ?? [];
      const expected = (containers[name]?.secrets ?? []).map(({ group }) => `/run/secrets/${group}`);
      const folders = containers[name]?.folders.map(({ path }) => path) ?? [];
      t.same(
        mounted,
        ['/tmp', ...expected, ...folders],
        `${name} reads the secrets of its container, no others`,
      );
      t.match(pod?.containers[0]?.env, [{ name: 'SERVICES', value: name }]);
      t.match(pod?.securityContext, { runAsNonRoot: true });
      for (const { name: volume } of pod?.volumes ?? []) t.match(volume, /^[a-z0-9-]{1,63}$/);
    }
    t.ok(settings.length > 0 && settings.every((name) => known.includes(name)));
  },
);

t.test('probes and policies name ports that exist, autoscalers metrics that exist', async (t) => {
  for (const { spec } of ofKind('Deployment')) {
    const container = spec?.template.spec?.containers[0];
    const ports = container?.ports?.map(({ name }) => name);
    for (const probe of [container?.startupProbe, container?.livenessProbe, container?.readinessProbe])
      t.ok(ports?.some((port) => port === probe?.httpGet?.port));
  }
  const external = ofKind('HorizontalPodAutoscaler').flatMap(({ spec }) =>
    (spec?.metrics ?? []).flatMap(({ external }) => external?.metric.name ?? []),
  );
  t.ok(external.length > 4);
  for (const name of external) t.ok(Object.hasOwn(metricTable, name), name);
  for (const name of Object.keys(ofKind('ConfigMap')[0]?.data ?? {})) t.ok(known.includes(name), name);
});
