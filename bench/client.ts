/** Sends single requests that are not measured. */
import type { Answer, HttpRequest } from './dialects/dialect.ts'

/** @throws Error for any answer without a status of success */
export async function request (port: number, { method, path, body }: HttpRequest): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return { headers: response.headers, body: JSON.parse(text) }
}
