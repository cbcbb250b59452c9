/** The messages between the soak and its server process. */

export interface Question {
  readonly kind: 'memory' | 'pool' | 'close'
}

export type Answer =
  | { readonly kind: 'listening', readonly port: number }
  | { readonly kind: 'memory', readonly heap: number, readonly rss: number }
  | { readonly kind: 'pool', readonly total: number, readonly idle: number, readonly waiting: number }
  | { readonly kind: 'closed', readonly inTime: boolean, readonly resources: string[] }

export type AnswerOf<Kind extends Answer['kind']> = Extract<Answer, { kind: Kind }>
