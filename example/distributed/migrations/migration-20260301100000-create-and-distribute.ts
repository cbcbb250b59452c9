import { Migration } from '@mikro-orm/migrations'

/** Creates the tables, distributes them if the server has the extension citus, and adds the foreign keys last. */
export class CreateAndDistribute extends Migration {
  override async up (): Promise<void> {
    this.addSql('create table "tenants" ("id" serial primary key, "name" varchar(255) not null)')
    this.addSql(`create table "projects" (
      "tenant_id" int not null,
      "id" uuid not null,
      "created_at" timestamptz(3) not null default current_timestamp(3),
      "updated_at" timestamptz(3) not null default current_timestamp(3),
      "name" varchar(255) not null,
      primary key ("tenant_id", "id")
    )`)
    this.addSql(`create table "labels" (
      "tenant_id" int not null,
      "id" uuid not null,
      "name" varchar(255) not null,
      primary key ("tenant_id", "id"),
      constraint "labels_tenant_id_name_unique" unique ("tenant_id", "name")
    )`)
    this.addSql(`create table "tasks" (
      "tenant_id" int not null,
      "id" uuid not null,
      "title" varchar(255) not null,
      "priority" int not null default 1,
      "done" boolean not null default false,
      "due" timestamptz(3) null,
      "version" int not null default 1,
      "project_id" uuid null,
      primary key ("tenant_id", "id")
    )`)
    this.addSql(`create table "task_labels" (
      "tenant_id" int not null,
      "task_id" uuid not null,
      "label_id" uuid not null,
      primary key ("tenant_id", "task_id", "label_id")
    )`)
    this.addSql('create index "projects_tenant_id_name_index" on "projects" ("tenant_id", "name")')
    this.addSql('create index "tasks_tenant_id_due_index" on "tasks" ("tenant_id", "due")')
    this.addSql('create index "tasks_tenant_id_project_id_index" on "tasks" ("tenant_id", "project_id")')
    this.addSql('create index "task_labels_tenant_id_label_id_index" on "task_labels" ("tenant_id", "label_id")')

    // on one server nothing is distributed, and everything else is the same
    const [citus] = await this.execute("select 1 from pg_extension where extname = 'citus'")
    if (citus !== undefined) {
      this.addSql("select create_distributed_table('tenants', 'id')")
      for (const table of ['projects', 'labels', 'tasks', 'task_labels']) {
        this.addSql(`select create_distributed_table('${table}', 'tenant_id', colocate_with => 'tenants')`)
      }
    }

    // foreign keys follow the distribution, because a distributed table cannot refer to a table of one node
    for (const table of ['projects', 'labels', 'tasks']) {
      this.addSql(`alter table "${table}" add constraint "${table}_tenant_id_foreign"
        foreign key ("tenant_id") references "tenants" ("id") on update no action on delete no action`)
    }
    for (
      const [table, column, target] of [
        ['tasks', 'project_id', 'projects'],
        ['task_labels', 'task_id', 'tasks'],
        ['task_labels', 'label_id', 'labels'],
      ]
    ) {
      this.addSql(`alter table "${table}" add constraint "${table}_tenant_id_${column}_foreign"
        foreign key ("tenant_id", "${column}") references "${target}" ("tenant_id", "id")
        on update no action on delete no action`)
    }
  }

  override down (): void {
    this.addSql('drop table "task_labels", "tasks", "labels", "projects", "tenants"')
  }
}
