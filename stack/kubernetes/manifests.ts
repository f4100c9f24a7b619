import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { IIoK8sApiAutoscalingV2MetricSpec } from 'kubernetes-models/autoscaling/v2/MetricSpec';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IPersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import type { IService } from 'kubernetes-models/v1/Service';
import { providerNames, providers } from '../../providers/all.ts';
import { StartError } from '../machine/start-error.ts';
import { type ComposedContainer, readComposed } from './composed.ts';
import { labelsOf, podTemplate } from './pods.ts';

/** A manifest of a kind that the example uses. */
export type Manifest =
  | IConfigMap
  | IDeployment
  | IHorizontalPodAutoscaler
  | IJob
  | INetworkPolicy
  | IPersistentVolumeClaim
  | IPodDisruptionBudget
  | IService;

const leastReplicas = 2;
const mostReplicas = 8;
const cpuPercent = 70;
/** A delivery or message that waits for longer adds a process. */
const oldestSeconds = '30';
const doneJobsSeconds = 86_400;

/** Settings of the example. Hosts of the database and the bus are those of the operator. */
const settings = {
  ADMIN_EMAIL: 'admin@example.com',
  PUBLIC_URL: 'https://pulsebus.example.com',
  TRUSTED_PROXIES: '10.0.0.0/8',
  DATABASE_HOST: 'database.example.com:5432',
  BUS_HOST: 'bus.example.com:4222',
  SANDBOX: 'off',
  WEBHOOK_PLAIN: 'false',
};

/** The files of the example by name, each with its manifests. `services` are the names of all services. */
export function manifests(services: readonly string[]): Readonly<Record<string, readonly Manifest[]>> {
  const { containers } = readComposed();
  const composed = (name: string): ComposedContainer => {
    const container = containers[name];
    if (container === undefined) throw new StartError(`docker-compose.yml has no container ${name}`);
    return container;
  };
  return {
    'settings.gen.yaml': [settingsMap()],
    'migrate.gen.yaml': [migration(composed('migrate'))],
    'services.gen.yaml': [
      ...services.flatMap((name) => [
        ...composed(name).folders.map((folder) => claim(folder.name, name)),
        deployment(name, composed(name)),
        disruptionBudget(name),
        autoscaler(name),
      ]),
      gatewayService(),
      ...networkPolicies(),
    ],
  };
}

const metadata = (name: string, of = name) => ({ name, labels: labelsOf(of) });

function settingsMap(): IConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('pulsebus-settings'), data: settings };
}

function migration(container: ComposedContainer): IJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadata('pulsebus-migrate'),
    spec: {
      backoffLimit: 3,
      ttlSecondsAfterFinished: doneJobsSeconds,
      template: podTemplate('pulsebus-migrate', container, 'task'),
    },
  };
}

// All pods of a service share a folder: any of them takes a part of a file, and another one may read it.
function claim(name: string, service: string): IPersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadata(`pulsebus-${name}`, service),
    spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: folderSize } } },
  };
}

const folderSize = '50Gi';

// No replicas: the autoscaler sets them.
function deployment(name: string, container: ComposedContainer): IDeployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(name),
    spec: {
      revisionHistoryLimit: 3,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: labelsOf(name) },
      template: podTemplate(name, container, 'service'),
    },
  };
}

function disruptionBudget(name: string): IPodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata(name),
    spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(name) } },
  };
}

function autoscaler(name: string): IHorizontalPodAutoscaler {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: metadata(name),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: leastReplicas,
      maxReplicas: mostReplicas,
      metrics: [cpu, ...oldestOf(name)],
      behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
    },
  };
}

const cpu: IIoK8sApiAutoscalingV2MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpuPercent } },
};

/** The age of the oldest work of a service that works on deliveries or messages. */
function oldestOf(name: string): IIoK8sApiAutoscalingV2MetricSpec[] {
  if (name === 'webhooks') return [oldest('pulsebus_webhook_oldest_message_seconds', {})];
  return providerNames
    .filter((provider) => providers[provider].ingest.service === name)
    .map((provider) => oldest('pulsebus_oldest_delivery_seconds', { provider }));
}

function oldest(name: string, matchLabels: Record<string, string>): IIoK8sApiAutoscalingV2MetricSpec {
  return {
    type: 'External',
    external: {
      metric: { name, selector: { matchLabels } },
      target: { type: 'Value', value: oldestSeconds },
    },
  };
}

function gatewayService(): IService {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata('api-gateway'),
    spec: {
      selector: labelsOf('api-gateway'),
      ports: [{ name: 'http', port: 80, targetPort: 'http' }],
    },
  };
}

/** Pods accept connections on the port of metrics from their monitoring, and the gateway on its own from everywhere. */
function networkPolicies(): INetworkPolicy[] {
  const policy = (name: string, spec: INetworkPolicy['spec']): INetworkPolicy => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(name),
    ...(spec === undefined ? {} : { spec }),
  });
  const all = { matchLabels: { 'app.kubernetes.io/part-of': 'pulsebus' } };
  const monitoring = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
  return [
    policy('pulsebus-metrics', {
      podSelector: all,
      policyTypes: ['Ingress'],
      ingress: [{ from: [monitoring], ports: [{ port: 'metrics' }] }],
    }),
    policy('pulsebus-gateway', {
      podSelector: { matchLabels: labelsOf('api-gateway') },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 'http' }] }],
    }),
  ];
}
