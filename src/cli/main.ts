#!/usr/bin/env node
/**
 * The program `fastify-crud-kit`: commands for the developer of an application. In: arguments and a terminal. Out:
 * files, sentences and an exit code. Nothing in a server imports this room, and a command is loaded when it is asked
 * for.
 */
import { runCommandLine } from './command-line.ts'

const ENDED_BY_CTRL_C = 130

process.once('SIGINT', () => process.exit(ENDED_BY_CTRL_C))
// a reader such as `head` may stop reading
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1))

const { stdin, stdout, stderr, env } = process
const exitCode = await runCommandLine(process.argv.slice(2), { stdin, stdout, stderr, env, folder: process.cwd() })
// an application that `check` has loaded may keep the process alive; what was printed is written first
stdout.write('', () => stderr.write('', () => process.exit(exitCode)))
