/** The headers of the explorer's answers. */

/** The page runs only its own scripts and styles, and talks only to its own server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The headers of all answers. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The content depends on the credentials of the request. */
export const NO_STORE = 'no-store'
/** The content may be kept, and is asked for again before each use. */
export const REVALIDATE = 'no-cache'
/** The content of a file with a hash in its name never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'
