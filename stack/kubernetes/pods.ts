import type { IIoK8sApiCoreV1Container } from 'kubernetes-models/v1/Container';
import type { IIoK8sApiCoreV1PodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec';
import type { IIoK8sApiCoreV1TopologySpreadConstraint } from 'kubernetes-models/v1/TopologySpreadConstraint';
import product from '../../package.json' with { type: 'json' };
import type { ComposedContainer } from './composed.ts';

/** The label of everything of the product, and that of one service. */
export const labelsOf = (name: string) => ({
  'app.kubernetes.io/part-of': 'pulsebus',
  'app.kubernetes.io/name': name,
});

/** The image; a deployment replaces it by the digest of its own build. */
const image = `registry.example.com/pulsebus:${product.version}`;
/** The user `node` of the image. */
/** Groups of secrets that are not generated. */
const optionalGroups: readonly string[] = ['providers', 'sign-in'];
const nodeUser = 1000;
const gatewayPort = 3000;
const metricsPort = 9100;
/** A process drains within 10 s of SIGTERM. */
const graceSeconds = 30;

/** A service runs until it is stopped, a task until it is done. */
type Kind = 'service' | 'task';

/** The pods of a container of docker-compose.yml, without rights that it does not need. */
export function podTemplate(
  name: string,
  { secrets, folders, environment, command }: ComposedContainer,
  kind: Kind,
): IIoK8sApiCoreV1PodTemplateSpec {
  const container: IIoK8sApiCoreV1Container = {
    name: 'pulsebus',
    image,
    ...(command === undefined ? {} : { args: [...command] }),
    envFrom: [{ configMapRef: { name: 'pulsebus-settings' } }],
    env: Object.entries(environment).map(([key, value]) => ({ name: key, value })),
    ...(kind === 'service' ? probesOf(name) : {}),
    // 600 MB is the goal for one worker at its peak; a limit on the CPU would only slow down answers
    resources: { requests: { cpu: '250m', memory: '300Mi' }, limits: { memory: '1Gi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'tmp', mountPath: '/tmp' },
      ...secrets.map(({ name, group }) => ({ name, mountPath: `/run/secrets/${group}`, readOnly: true })),
      ...folders.map(({ name, path }) => ({ name, mountPath: path })),
    ],
  };
  return {
    metadata: { labels: labelsOf(name) },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false, // its variables look like settings
      terminationGracePeriodSeconds: graceSeconds,
      ...(kind === 'task' ? { restartPolicy: 'Never' } : { topologySpreadConstraints: [spread(name)] }),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: nodeUser,
        runAsGroup: nodeUser,
        fsGroup: nodeUser,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [container],
      volumes: [
        { name: 'tmp', emptyDir: { sizeLimit: '1Gi' } },
        ...secrets.map(({ name, group }) => ({
          name,
          // Those of real providers and of the sign-in are there once they are put.
          secret: {
            secretName: `pulsebus-${name}`,
            defaultMode: 0o440,
            optional: optionalGroups.includes(group),
          },
        })),
        ...folders.map(({ name }) => ({ name, persistentVolumeClaim: { claimName: `pulsebus-${name}` } })),
      ],
    },
  };
}

const spread = (name: string): IIoK8sApiCoreV1TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: labelsOf(name) },
});

// Every process answers for its metrics once its services run. Only the gateway has clients that it can turn away.
function probesOf(
  name: string,
): Pick<IIoK8sApiCoreV1Container, 'ports' | 'startupProbe' | 'livenessProbe' | 'readinessProbe'> {
  const metrics = { httpGet: { path: '/metrics', port: 'metrics' }, timeoutSeconds: 3 };
  const isGateway = name === 'api-gateway';
  const ready = { httpGet: { path: '/api/v1/ready', port: 'http' }, timeoutSeconds: 3 };
  return {
    ports: [
      ...(isGateway ? [{ name: 'http', containerPort: gatewayPort }] : []),
      { name: 'metrics', containerPort: metricsPort },
    ],
    startupProbe: { ...metrics, periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: { ...metrics, periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: isGateway
      ? { ...ready, periodSeconds: 1, failureThreshold: 2 }
      : { ...metrics, periodSeconds: 5, failureThreshold: 3 },
  };
}
