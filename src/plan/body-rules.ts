/** What the bodies of writes may set, as looked up from the option `writable`. */
import type { WritableConfig } from '../config/index.ts'
import type { KeyPart, Property, RelationProperty } from '../model/index.ts'

/** A property by one of the names that data uses for it. */
export interface Named {
  readonly property: Property
  /** The name as a JSON pointer. */
  readonly pointer: string
  readonly writable: boolean
  /** Whether a valid value is bound unchanged. */
  readonly bound: boolean
}

/** The rules for the bodies of one operation. */
export interface BodyRules {
  /** All properties that records show, by public name. `writable` says whether bodies may set them. */
  readonly byName: ReadonlyMap<string, Named>
  /** The properties that bodies may set. */
  readonly properties: ReadonlySet<Property>
  /** The public names of properties that records show and bodies may not set. */
  readonly readonly: readonly string[]
  /** The properties that the body of a new record must set. */
  readonly required: readonly Named[]
  /** The properties that a new record must have and that bodies may not set. */
  readonly unfilled: readonly Property[]
  /** The children that bodies write with the record, by public name. */
  readonly children: ReadonlyMap<string, OwnedChildren>
  /** Of a create, what an update may set, and the other way round. Present if the resource has upserts. */
  readonly elsewhere?: Elsewhere
}

/** The properties that a create or an update may set, to explain why the other one may not set them. */
export interface Elsewhere {
  readonly properties: ReadonlySet<Property>
  /** The end of the sentence that explains it: `in a new record`, `in a record that exists`. */
  readonly where: string
}

/** The rules of a resource. An operation without rules accepts no properties. */
export interface Writable {
  /** Whether the option was given. */
  readonly declared: boolean
  readonly create?: BodyRules
  readonly update?: BodyRules
  /** The rules of bodies of upserts, if there are any: what either a new record or a change may set. */
  readonly upsert?: BodyRules
}

/** What bodies may write of the children of one relation. */
export interface OwnedChildren {
  /** The to-many relation of the parent. */
  readonly relation: RelationProperty
  /** Its name as a JSON pointer. */
  readonly pointer: string
  /** The to-one relation of the children to their parent. */
  readonly parent: RelationProperty
  /** Whether the body is that of a new parent, whose children are all new. */
  readonly isNew: boolean
  readonly config: WritableConfig
  /** The rules of a new child; `undefined` if no child may be added. */
  readonly create: BodyRules | undefined
  /** The rules of a change; `undefined` if no child may be changed. */
  readonly update: BodyRules | undefined
  /** The parts of a child's key that its parent does not give. */
  readonly key: readonly KeyPart[]
  /** Whether new children must be complete in the body, because nothing else fills in their properties. */
  readonly complete: boolean
}
