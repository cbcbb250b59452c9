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

/** Whether a request without a body has an answer with a status of success. */
export async function succeeds (port: number, { method, path }: HttpRequest): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
  await response.text()
  return response.ok
}
