import { webhookSecretNames } from '../../runtime/provider-settings.ts';

/** Prints the secrets of webhook addresses of all providers, as container-secrets.sh names them: `webhooks/WEBHOOK_SECRET_…`. */
console.log(webhookSecretNames.map((name) => `webhooks/${name}`).join('\n'));
