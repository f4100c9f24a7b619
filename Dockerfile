# One image for every service: which ones a container runs is its command. No compiler and no test tools in it.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages are Node and PostgreSQL for machines without containers.
RUN npm ci --omit=dev --omit=optional && npm cache clean --force

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 LOG_FORMAT=json DATA_DIR=/tmp/pulsebus
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY . .
# Secrets that a volume of this name receives are made by this user: see stack/container-secrets.sh.
RUN install -d -o node -g node -m 700 /run/secrets
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/v1/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Nothing is written outside /tmp: run it with --read-only --tmpfs /tmp.
ENTRYPOINT ["/app/stack/container-entry.sh"]
CMD ["node_modules/.bin/moleculer-runner-esm", "--config", "moleculer.config.ts", "services/**/*.service.ts"]
