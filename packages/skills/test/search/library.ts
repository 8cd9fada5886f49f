import { readFileSync } from 'node:fs'
import type { Snapshot, SnapshotEntry } from '@ext/kernel/types'
import type { Skill } from '../../src/index.js'

/** A prompt, and the skill that it should lead to. */
export interface Labelled {
  readonly skill: string
  readonly description: string
  readonly prompt: string
}

/**
 * 70 skills of the kinds that public collections have, each with a prompt as people write them: own texts, none is copied.
 * The prompts were written for the tasks and not for the words of the descriptions. The second sentences of the
 * descriptions ("Use for …", as most public ones have) came afterwards and from the same hand, so the figures flatter
 * every way of looking for a skill alike: they are for comparing ways, not for promising a share.
 */
export const labelled: readonly Labelled[] = readFileSync(new URL('prompts.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Labelled)

const TECHNOLOGIES =
  `Angular Ansible Airflow Astro AWS-Lambda Azure Bazel BigQuery Cassandra Clojure Cloudflare Cypress Dart
  Databricks Deno Django Elasticsearch Elixir Elm Erlang FastAPI Fastly Firebase Flask Flutter Gatsby Go Gradle Grafana Haskell
  Heroku Hugo Istio Java Jenkins Kafka Keycloak Kotlin Laravel Lua Magento MariaDB Maven MongoDB MySQL Nginx Nuxt Okta
  OpenShift Perl Prometheus Pulumi RabbitMQ Rails Redis Ruby Rust Salesforce Scala Sentry Shopify Snowflake Spark Spring
  Stripe Supabase Svelte Swift Symfony Tailwind Twilio Unity Unreal Vault Vercel Vue WordPress Xamarin Zapier Zig`.split(
    /\s+/,
  )
const JOBS: readonly (readonly [name: string, description: string])[] = [
  ['setup', 'Sets up a new {} project with sensible defaults, linting and a folder structure.'],
  ['testing', 'Writes tests for {} code and explains what to mock. Use it when coverage is low.'],
  ['upgrade', 'Upgrades {} to a newer version, one breaking change after the other.'],
  ['security', 'Hardens a {} installation: authentication, secrets, headers and least privilege.'],
  ['performance', 'Profiles {} applications and removes bottlenecks in hot paths and queries.'],
  ['troubleshooting', 'Diagnoses errors of {} from logs, configuration and stack traces.'],
  ['monitoring', 'Adds metrics, alerts and dashboards to {} services.'],
  ['style-guide', 'Applies the conventions of the {} community to names, files and comments.'],
  ['docs', 'Writes documentation for {} modules, with examples that run.'],
  ['deployment', 'Deploys {} to production with rollback and health checks.'],
  ['data-import', 'Imports and exports data with {}, with validation and retries.'],
]

/** The labelled skills among as many others as make `size`, in the order of their names. */
export function library(size: number): Snapshot<Skill> {
  const wanted = labelled.map(({ skill, description }) => ({ name: skill, description }))
  const others = JOBS.flatMap(([job, description]) =>
    TECHNOLOGIES.map((technology) => ({
      name: `${technology.toLowerCase()}-${job}`,
      description: description.replace('{}', technology),
    })),
  )
  // Of a library that is smaller than the labelled ones, the first by a number that says nothing about them.
  const chosen =
    size < wanted.length
      ? wanted.filter((_, index) => (index * 9) % wanted.length < size)
      : [...wanted, ...spread(others, size - wanted.length)]
  return snapshotOf(chosen)
}

function spread<T>(items: readonly T[], count: number): readonly T[] {
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]).flatMap(
    (item) => (item === undefined ? [] : [item]),
  )
}

export function snapshotOf(
  skills: readonly { readonly name: string; readonly description: string }[],
): Snapshot<Skill> {
  const entries = skills.map(({ name, description }): SnapshotEntry<Skill> => {
    const file = `/skills/${name}/SKILL.md`
    const source = { layer: 'project', dialect: 'skills', file } as const
    const value: Skill = {
      name,
      description,
      argumentNames: [],
      modelInvocable: true,
      userInvocable: true,
      mode: 'inline',
      forkContext: 'none',
      grants: [],
      disallowed: [],
      restrict: [],
      shell: 'bash',
      hasHooks: false,
      trusted: false,
      file,
      folder: `/skills/${name}`,
    }
    return { id: file, name, value, source, at: () => ({ layer: 'project', file }) }
  })
  return { axis: 'skills', entries, records: [], files: [], diagnostics: [], managedBroken: false }
}
