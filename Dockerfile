# One image for every service: SERVICES says which one a container runs. No compiler and no test tools in it.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages are Node for machines without containers, and those that build the console.
RUN npm ci --omit=dev --omit=optional && npm cache clean --force

# The pages of the console. The packages that build them stay in this stage.
FROM node:24-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY domain ./domain
COPY stack ./stack
COPY clients ./clients
COPY console ./console
RUN node stack/commands/build-console.ts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 METRICS_PORT=9100 LOG_FORMAT=json DATA_DIR=/tmp/pulsebus IMPORT_DIR=/var/lib/pulsebus/imports MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY . .
COPY --from=console /app/console/dist ./console/dist
# A new volume takes over who owns its folder in the image; without one it belongs to root, and the container `secrets` cannot
# write to it.
RUN sed -n 's|^ *- [^:]*:\(/run/secrets/[^:]*\)$|\1|p' docker-compose.yml | xargs install -d -o node -g node -m 755 && \
  install -d -o node -g node -m 700 "$IMPORT_DIR"
USER node
EXPOSE 3000 9100
# Alive: it answers for its figures. Whether the gateway takes requests is what /api/v1/ready tells.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/metrics`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Nothing is written outside /tmp: run it with --read-only --tmpfs /tmp. SIGTERM drains it, and it exits with 0.
ENTRYPOINT ["/app/stack/compose/container-entry.sh"]
CMD ["node", "--max-semi-space-size=16", "stack/processes/process.ts"]
