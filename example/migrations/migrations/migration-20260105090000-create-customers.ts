import { Migration } from '@mikro-orm/migrations'

export class CreateCustomers extends Migration {
  override up (): void {
    this.addSql(`create table "customers" (
      "id" serial primary key,
      "uuid" uuid not null default gen_random_uuid(),
      "created_at" timestamptz(3) not null default current_timestamp(3),
      "updated_at" timestamptz(3) not null default current_timestamp(3),
      "deleted_at" timestamptz(3) null,
      "name" varchar(255) not null,
      "phone" varchar(30) null
    )`)
    this.addSql('alter table "customers" add constraint "customers_uuid_unique" unique ("uuid")')
  }

  override down (): void {
    this.addSql('drop table "customers"')
  }
}
