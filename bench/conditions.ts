/** The conditions of a measurement: machine, versions, load. */
import fs from 'node:fs'
import os from 'node:os'
import type { Variant } from './variants.ts'

const OWN = ['fastify', 'pg', '@mikro-orm/postgresql']
const PEERS = ['@platformatic/sql-openapi', 'nestjs-paginate', 'typeorm', '@nestjs/core']

/** The load of the last minute for each CPU; 1 means that all CPUs were always busy. */
export const loadOfMachine = (): number => os.loadavg()[0]! / os.availableParallelism()

/** Describes each condition in one sentence. */
export function conditions (postgres: string, load: number, variants: readonly Variant[]): readonly string[] {
  const versions = [
    `Node ${process.version.slice(1)}`,
    `PostgreSQL ${postgres}`,
    ...OWN.map((name) => version(name, '..')),
    ...(variants.some(({ peer }) => peer) ? PEERS.map((name) => version(name, 'peers')) : []),
  ]
  return [
    `${os.availableParallelism()} CPUs (${os.cpus()[0]?.model.trim()}), ${
      Math.round(os.totalmem() / 2 ** 30)
    } GiB, ${os.type()} ${os.release()}.`,
    `${versions.join(', ')}.`,
    `${new Date().toISOString().slice(0, 10)}; when the run started, ${load.toFixed(1)} processes for each CPU were ` +
    `running or waiting for it${
      load > 0.5 ? '. The machine was busy with other work: only ratios are meaningful, and their ranges are wide' : ''
    }.`,
  ]
}

function version (name: string, folder: string): string {
  const { version } = JSON.parse(
    fs.readFileSync(new URL(`${folder}/node_modules/${name}/package.json`, import.meta.url), 'utf8')
  )
  return `${name} ${version}`
}
