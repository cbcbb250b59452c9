/** The entities of the worst requests: projects with tasks and labels, related in all directions, with long texts. */
import { defineEntity, p } from '@mikro-orm/postgresql'

export const Project = defineEntity({
  name: 'Project',
  tableName: 'projects',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.string(),
    notes: p.text().nullable(),
    budget: p.decimal('number').precision(12).scale(2),
    tasks: () => p.oneToMany(Task).mappedBy('project'),
    labels: () => p.manyToMany(Label).owner().pivotTable('project_labels'),
  },
})

export const Task = defineEntity({
  name: 'Task',
  tableName: 'tasks',
  properties: {
    id: p.integer().primary().autoincrement(),
    title: p.string(),
    body: p.text(),
    done: p.boolean(),
    project: () => p.manyToOne(Project).index(),
  },
})

export const Label = defineEntity({
  name: 'Label',
  tableName: 'labels',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.string(),
    projects: () => p.manyToMany(Project).mappedBy('labels'),
  },
})

/** Records of a hundred kilobytes, which do not compress. */
export const Paper = defineEntity({
  name: 'Paper',
  tableName: 'papers',
  properties: {
    id: p.integer().primary().autoincrement(),
    title: p.string().unique(),
    content: p.text(),
    project: () => p.manyToOne(Project).index(),
  },
})

/** Short texts. Their words are stored, apart from those of `text`. */
export const Note = defineEntity({
  name: 'Note',
  tableName: 'notes',
  indexes: [{ properties: ['words'], type: 'gin' }],
  properties: {
    id: p.integer().primary().autoincrement(),
    title: p.string(),
    text: p.text(),
    words: p.string().columnType('tsvector').hidden().generated(
      "(setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', text), 'B')) stored"
    ),
  },
})

export const entities = [Project, Task, Label, Paper, Note]
