#!/bin/sh
# The secrets of a composed set-up, a folder for each group of containers that may know them:
#   make              makes those that are not there yet; the volumes keep them
#   put GROUP/NAME    takes the value from the input: `providers/DEVICEMAKER_CLIENT_SECRET`, or one of your own
#   show GROUP/NAME   prints a value
set -eu
program=$(cd "$(dirname "$0")" && pwd)
cd "${SECRETS_DIR:-/run/secrets}"
umask 022

# Whole or not at all: a container that starts meanwhile reads the old value or the new one.
write() {
  cat >"$1.new"
  [ -s "$1.new" ] || { rm "$1.new"; echo "nothing was given for $1" >&2; exit 1; }
  chmod 444 "$1.new"
  mv -f "$1.new" "$1"
}

case "${1:-make} ${2:-}" in
  'make ')
    webhooks=$(node "$program/webhook-secrets.ts")
    for name in $(printf '%s/DATABASE_PASSWORD ' database*) $(printf '%s/BUS_PASSWORD ' bus*) \
      superuser/SUPERUSER_PASSWORD replication/REPLICATION_PASSWORD \
      sessions/JWT_SECRET encryption/ENCRYPTION_KEY \
      admin/ADMIN_PASSWORD figures/GRAFANA_PASSWORD $webhooks; do
      [ -s "$name" ] ||
        node -e 'process.stdout.write(require("node:crypto").randomBytes(32).toString("hex"))' | write "$name"
    done
    ;;
  'put '*/*) write "$2" ;;
  'show '*/*) cat "$2" ;;
  *)
    echo 'make | put GROUP/NAME | show GROUP/NAME' >&2
    exit 2
    ;;
esac
