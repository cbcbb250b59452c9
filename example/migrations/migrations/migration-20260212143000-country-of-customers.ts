import { Migration } from '@mikro-orm/migrations'

/** Makes a new column required: adds it, fills it from the existing data, and sets it to not null. */
export class CountryOfCustomers extends Migration {
  override up (): void {
    this.addSql('alter table "customers" add column "country" varchar(2) null')
    this.addSql(`update "customers" set "country" = case
      when "phone" like '+33%' then 'FR'
      when "phone" like '+49%' then 'DE'
      else 'GB'
    end`)
    this.addSql('alter table "customers" alter column "country" set not null')
    this.addSql('create index "customers_country" on "customers" ("country")')
  }

  override down (): void {
    this.addSql('alter table "customers" drop column "country"')
  }
}
