import { Migration } from '@mikro-orm/migrations'

/** A column that all rows have to have: added, filled from what there is, and then required. */
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
